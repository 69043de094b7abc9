-- Gives back what reservations hold that no call stands behind: their statement committed, but its answer was lost with
-- the connection and the caller was told 503. Nothing was sent upstream for them, so no trace is kept.
-- $1 uuid[] ids
with lk as materialized (
  select id, user_id, token_id, amount from reservations where id = any($1::uuid[]) order by id for update
), tk as materialized (
  select id from tokens where id in (select token_id from lk) order by id for update
), us as materialized (
  select id from users where id in (select user_id from lk) and (select count(*) from tk) >= 0 order by id for update
), d as (
  delete from reservations where id in (select id from lk)
), ut as (
  update tokens t set remain_quota = t.remain_quota + case when t.unlimited_quota then 0 else s.a end
  from (select token_id, sum(amount)::bigint as a from lk group by 1) s
  where t.id = s.token_id and (select count(*) from us) >= 0
), uu as (
  update users u set reserved = u.reserved - s.a, quota = u.quota + s.a
  from (select user_id, sum(amount)::bigint as a from lk group by 1) s where u.id = s.user_id
)
select id, amount from lk
