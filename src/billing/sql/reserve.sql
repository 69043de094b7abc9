-- Holds quota for a batch of calls, or adds to what their open reservations hold. A row returned is a grant; what is not
-- returned was refused: unknown, disabled, banned, does not fit, or extends a reservation that is gone.
-- $1 uuid[] ids (each once)  $2 bigint[] users  $3 bigint[] tokens (0: none)  $4 bigint[] amounts  $5 boolean[] extends
-- $6 text owner  $7 bigint now
-- Rows are locked by their keys alone and judged afterwards: a condition in a locking part lets the planner read a whole
-- table through a partial index that bears it, as long as it takes that table for small.
-- Rows are locked in the one order that all money statements share: reservation, token, user, each sorted by id. The
-- counts in the locking parts make each wait for the one before.
-- Reservations come and go with the calls, so that the planner takes their table for empty, and would rather read all of
-- them, with whatever of dead ones nobody could clear yet, than look a few up. It cannot where nothing is gained by their
-- index's order: ids are given as an array instead of being joined, and are sorted as texts, which comes to the same.
-- New values are made from the rows as they were locked, never from the row that UPDATE finds: Postgres tests CHECKs on
-- what it makes of the version in the statement's snapshot, before it turns to the newer one, and so refuses falsely
-- what another process has just made possible.
with q as materialized (
  select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[])
    with ordinality as q(id, user_id, token_id, amount, extends, n)
), rs as materialized (
  select id from reservations where id = any(array(select id from q where extends))
  order by id::text collate "C" for update
), tk as materialized (
  select id, remain_quota, unlimited_quota, status = 1 and deleted_at is null as usable,
    case when unlimited_quota then 9223372036854775807 else remain_quota end as room from tokens
  where id in (select token_id from q) and (select count(*) from rs) >= 0
  order by id for update
), us as materialized (
  select id, quota, reserved, status = 1 and deleted_at is null as usable from users
  where id in (select user_id from q) and (select count(*) from tk) >= 0
  order by id for update
), a as (
  -- Who fits is decided by running sums in order of arrival, first by token, then by user.
  select q.*, us.quota, us.reserved, tk.remain_quota, coalesce(tk.unlimited_quota, true) as unlimited_quota,
    coalesce(tk.room, 9223372036854775807) as room,
    sum(q.amount) over (partition by q.token_id order by q.n) as tsum
  from q left join tk on tk.id = q.token_id join us on us.id = q.user_id
  -- Token 0 is none: a call from the console is bounded by its user's balance alone.
  where us.usable and (tk.usable or q.token_id = 0)
  -- An extension that comes after its call was settled must not make the reservation again: nobody would free it.
    and (not q.extends or q.id in (select id from rs))
), b as (
  select a.*, sum(a.amount) over (partition by a.user_id order by a.n) as usum from a where a.tsum <= a.room
), g as materialized (
  select id, user_id, token_id, amount, quota, reserved, remain_quota, unlimited_quota from b where usum <= quota
), ut as (
  update tokens t set remain_quota = s.remain_quota - s.a
  from (
    select token_id, remain_quota, sum(amount)::bigint as a from g where not unlimited_quota group by 1, 2
  ) s where t.id = s.token_id
), uu as (
  update users u set quota = s.quota - s.a, reserved = s.reserved + s.a
  from (select user_id, quota, reserved, sum(amount)::bigint as a from g group by 1, 2, 3) s where u.id = s.user_id
)
insert into reservations (id, user_id, token_id, amount, owner, created_at)
select id, user_id, token_id, amount, $6, $7::bigint from g
on conflict (id) do update set
  amount = reservations.amount + excluded.amount, orphaned_at = null, owner = excluded.owner
returning id
