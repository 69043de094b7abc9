-- Gives back what calls of dead processes hold. The rows stay with amount 0, so that a settlement that comes late (from
-- a spool) still charges its call, from what the account has then.
-- $1 text[] owners known dead  $2 bigint now
-- Returns at most 500; call again until it returns fewer. Rows that a settlement has locked are left to it.
with lk as materialized (
  select id, user_id, token_id, amount from reservations
  where orphaned_at is null and owner = any($1::text[]) order by id limit 500 for update skip locked
), tk as materialized (
  select id from tokens where id in (select token_id from lk) order by id for update
), us as materialized (
  select id from users where id in (select user_id from lk) and (select count(*) from tk) >= 0 order by id for update
), o as (
  update reservations r set amount = 0, orphaned_at = $2::bigint from lk where r.id = lk.id
), ut as (
  update tokens t set remain_quota = t.remain_quota + case when t.unlimited_quota then 0 else s.a end
  from (select token_id, sum(amount)::bigint as a from lk group by 1) s
  where t.id = s.token_id and (select count(*) from us) >= 0
), uu as (
  update users u set reserved = u.reserved - s.a, quota = u.quota + s.a
  from (select user_id, sum(amount)::bigint as a from lk group by 1) s where u.id = s.user_id
)
select id, user_id, amount from lk
