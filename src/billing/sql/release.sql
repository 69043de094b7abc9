-- Gives back what reservations hold that no call stands behind: their statement committed, but its answer was lost with
-- the connection and the caller was told 503. Nothing was sent upstream for them, so no trace is kept.
-- $1 uuid[] ids
-- New values come from the rows as they were locked (reserve.sql says why).
with lk as materialized (
  select id, user_id, token_id, amount from reservations where id = any($1::uuid[])
  order by id::text collate "C" for update
), tk as materialized (
  select id, remain_quota, unlimited_quota from tokens where id in (select token_id from lk) order by id for update
), us as materialized (
  select id, quota, reserved from users where id in (select user_id from lk) and (select count(*) from tk) >= 0
  order by id for update
), c as materialized (
  -- All that changes follows from here, behind the locks: of several changes in a statement the last one runs first.
  select lk.* from lk join us on us.id = lk.user_id
), d as (
  delete from reservations where id = any(array(select id from c))
), ut as (
  update tokens t set remain_quota = tk.remain_quota + s.a
  from tk join (select token_id, sum(amount)::bigint as a from c group by 1) s on s.token_id = tk.id
  where t.id = tk.id and not tk.unlimited_quota
), uu as (
  update users u set reserved = us.reserved - s.a, quota = us.quota + s.a
  from us join (select user_id, sum(amount)::bigint as a from c group by 1) s on s.user_id = us.id
  where u.id = us.id
)
select id, amount from c
