-- Of these rows, those that somebody else holds just now, and of the calls also those whose reservations tell of a user or
-- a token that is held. Locks each row for this one statement, and waits for none.
-- $1 text[] names of rows: their table's, as here, and their ids
-- Returns such names.
with named as materialized (
  select split_part(name, ' ', 1) as kind, split_part(name, ' ', 2) as id from unnest($1::text[]) as name
), rs as materialized (
  select id, user_id, token_id from reservations where id = any(array(select id::uuid from named where kind = 'call'))
), ft as materialized (
  select id from tokens
  where id = any(array(select id::bigint from named where kind = 'token' union select token_id from rs))
  for update skip locked
), fu as materialized (
  select id from users
  where id = any(array(select id::bigint from named where kind = 'user' union select user_id from rs))
  for update skip locked
), fr as materialized (
  select id from reservations where id = any(array(select id from rs)) for update skip locked
), fc as materialized (
  select id from channels where id = any(array(select id::bigint from named where kind = 'channel'))
  for update skip locked
), held as materialized (
  select 'token' as kind, id::text from tokens
  where id = any(array(select id::bigint from named where kind = 'token' union select token_id from rs except select id from ft))
  union all select 'user', id::text from users
  where id = any(array(select id::bigint from named where kind = 'user' union select user_id from rs except select id from fu))
  union all select 'channel', id::text from channels
  where id = any(array(select id::bigint from named where kind = 'channel' except select id from fc))
)
select kind || ' ' || id as held from held
union all select 'call ' || id from rs
  where id not in (select id from fr)
    or ('token', token_id::text) in (select kind, id from held) or ('user', user_id::text) in (select kind, id from held)
