-- Gives back what calls of dead processes hold. The rows stay with amount 0, so that a settlement that comes late (from
-- a spool) still charges its call, from what the account has then.
-- $1 text[] owners known dead  $2 bigint now  $3 uuid the call behind which it begins  $4 uuid[] calls that are left alone
-- Looks at 500 calls at most; call again behind the last of them until it returns fewer. Rows that a settlement has locked
-- are left to it. Nothing is waited for: a call whose account somebody holds is told of, and stays as it is.
-- New values come from the rows as they were locked (reserve.sql says why).
with lk as materialized (
  select id, user_id, token_id, amount from reservations
  where orphaned_at is null and owner = any($1::text[]) and id > $3::uuid and id <> all($4::uuid[])
  order by id limit 500 for update skip locked
), tk as materialized (
  select id, remain_quota, unlimited_quota from tokens where id in (select token_id from lk)
  order by id for update skip locked
), us as materialized (
  select id, quota, reserved from users where id in (select user_id from lk) and (select count(*) from tk) >= 0
  order by id for update skip locked
), c as materialized (
  -- All that changes follows from here, behind the locks: of several changes in a statement the last one runs first.
  select lk.* from lk join us on us.id = lk.user_id where lk.token_id not in (
    select id from tokens where id in (select token_id from lk) except select id from tk
  )
), o as (
  update reservations set amount = 0, orphaned_at = $2::bigint where id = any(array(select id from c))
), ut as (
  update tokens t set remain_quota = tk.remain_quota + s.a
  from tk join (select token_id, sum(amount)::bigint as a from c group by 1) s on s.token_id = tk.id
  where t.id = tk.id and not tk.unlimited_quota
), uu as (
  update users u set reserved = us.reserved - s.a, quota = us.quota + s.a
  from us join (select user_id, sum(amount)::bigint as a from c group by 1) s on s.user_id = us.id
  where u.id = us.id
)
select id, id in (select id from c) as given from lk order by id
