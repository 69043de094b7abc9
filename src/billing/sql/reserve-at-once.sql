-- Holds quota for a batch of calls of which all fit, as nearly always, or changes nothing: then reserve.sql decides one by
-- one. What each user and each token would have to hold was added up before, so that nothing is joined, ordered or summed
-- here, which takes Postgres longer than all else that a reservation does.
-- $1 uuid[] ids (each once, all new)  $2 bigint[] users  $3 bigint[] tokens (0: none)  $4 bigint[] amounts  $5 text owner
-- $6 bigint now  $7 bigint[] each user once  $8 bigint[] the sums of their amounts  $9 bigint[] each token once, without 0
-- $10 bigint[] the sums of their amounts
-- Returns whether it was done. Locks, their order and where new values come from: reserve.sql says why.
with tk as materialized (
  select id, remain_quota, unlimited_quota, status = 1 and deleted_at is null as usable from tokens
  where id = any($9::bigint[]) order by id for update
), us as materialized (
  select id, quota, reserved, status = 1 and deleted_at is null as usable from users
  where id = any($7::bigint[]) and (select count(*) from tk) >= 0 order by id for update
), nt as materialized (
  select tk.*, s.a from tk join unnest($9::bigint[], $10::bigint[]) as s(id, a) on s.id = tk.id
  where tk.usable and (tk.unlimited_quota or tk.remain_quota >= s.a)
), nu as materialized (
  select us.*, s.a from us join unnest($7::bigint[], $8::bigint[]) as s(id, a) on s.id = us.id
  where us.usable and us.quota >= s.a
), fits as materialized (
  select (select count(*) from nt) = cardinality($9::bigint[]) and (select count(*) from nu) = cardinality($7::bigint[]) as done
), ut as (
  update tokens t set remain_quota = nt.remain_quota - nt.a from nt
  where t.id = nt.id and not nt.unlimited_quota and (select done from fits)
), uu as (
  update users u set quota = nu.quota - nu.a, reserved = nu.reserved + nu.a from nu
  where u.id = nu.id and (select done from fits)
), r as (
  insert into reservations (id, user_id, token_id, amount, owner, created_at)
  select id, user_id, token_id, amount, $5, $6::bigint
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) as q(id, user_id, token_id, amount)
  where (select done from fits)
)
select done from fits
