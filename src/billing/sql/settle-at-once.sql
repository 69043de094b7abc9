-- Charges a batch of calls whose every reservation is as the process knows it and covers its charge, as nearly always, or
-- changes nothing: then settle.sql decides one by one. What becomes of each row was added up before, so that nothing is
-- joined, ordered or summed here. What it does is what settle.sql does where paid = charge.
-- Each call, in the order of ids: $1 uuid[] ids  $2 bigint[] users  $3 bigint[] tokens  $4 bigint[] amounts held
--   $5 bigint[] charges  $6 bigint[] times; and for its row in the log, where it has one: $7 boolean[] logged
--   $8 bigint[] channels  $9 smallint[] types  $10 text[] usernames  $11 text[] token names  $12 text[] models
--   $13 text[] groups  $14 bigint[] prompt tokens  $15 bigint[] completion tokens  $16 int[] seconds used
--   $17 boolean[] streamed  $18 text[] addresses  $19 text[] content  $20 text[] other (JSON)
-- Each user once: $21 bigint[] ids  $22 bigint[] amounts held  $23 bigint[] charges  $24 bigint[] charged calls (type 2)
-- Each token once: $25 bigint[] ids  $26 bigint[] amounts held  $27 bigint[] charges  $28 bigint[] latest times
-- Each channel of charged calls once: $29 bigint[] ids  $30 bigint[] charges
-- Each row of the hourly figures once: $31 bigint[] hours  $32 bigint[] users  $33 bigint[] tokens  $34 bigint[] channels
--   $35 text[] models  $36 text[] groups  $37 bigint[] calls  $38 bigint[] prompt tokens  $39 bigint[] completion tokens
--   $40 bigint[] charges  $41 bigint[] cached tokens  $42 bigint[] milliseconds to first contents  $43 bigint[] of calls
-- Returns whether it was done. Locks, their order and where new values come from: reserve.sql says why.
with held as materialized (
  select id, user_id, token_id, amount from reservations where id = any($1::uuid[])
  order by id::text collate "C" for update
), tk as materialized (
  select id, remain_quota, unlimited_quota, used_quota, accessed_time from tokens
  where id = any($25::bigint[]) and (select count(*) from held) >= 0 order by id for update
), us as materialized (
  -- The log row of a user who was erased while his call was under way tells his pseudonym: settle.sql knows it.
  select id, quota, reserved, used_quota, request_count, erased_at is null as named from users
  where id = any($21::bigint[]) and (select count(*) from tk) >= 0 order by id for update
), ch as materialized (
  select id, used_quota from channels
  where id = any($29::bigint[]) and (select count(*) from us) >= 0 order by id for update
), known as materialized (
  select array_agg(id) = $1::uuid[] and array_agg(user_id) = $2::bigint[] and array_agg(token_id) = $3::bigint[]
      and array_agg(amount) = $4::bigint[]
      and (select count(*) from us where named) = cardinality($21::bigint[]) and (select count(*) from ch) >= 0 as done
  from (select * from held order by id) h
), d as (
  delete from reservations where id = any($1::uuid[]) and (select done from known)
), ut as (
  update tokens t set
    remain_quota = case when tk.unlimited_quota then tk.remain_quota else tk.remain_quota + s.a - s.c end,
    used_quota = tk.used_quota + s.c, accessed_time = greatest(tk.accessed_time, s.at)
  from tk join unnest($25::bigint[], $26::bigint[], $27::bigint[], $28::bigint[]) as s(id, a, c, at) on s.id = tk.id
  where t.id = tk.id and (select done from known)
), uu as (
  update users u set reserved = us.reserved - s.a, quota = us.quota + s.a - s.c, used_quota = us.used_quota + s.c,
    request_count = us.request_count + s.n
  from us join unnest($21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[]) as s(id, a, c, n) on s.id = us.id
  where u.id = us.id and (select done from known)
), uc as (
  update channels h set used_quota = ch.used_quota + s.c
  from ch join unnest($29::bigint[], $30::bigint[]) as s(id, c) on s.id = ch.id
  where h.id = ch.id and (select done from known)
), le as (
  insert into ledger (user_id, kind, ref, delta, created_at)
  select user_id, 1, id, -charge, at
  from unnest($1::uuid[], $2::bigint[], $5::bigint[], $6::bigint[]) as q(id, user_id, charge, at)
  where charge > 0 and (select done from known)
), lo as (
  insert into logs (created_at, request_id, user_id, token_id, channel_id, type, username, token_name, model_name,
    group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, ip, content, other)
  select at, id, user_id, token_id, channel_id, type, username, token_name, model, group_name, charge, pt, ct, use_time,
    is_stream, ip, content, other::jsonb
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $5::bigint[], $6::bigint[], $7::boolean[], $8::bigint[],
    $9::smallint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::int[],
    $17::boolean[], $18::text[], $19::text[], $20::text[])
    as q(id, user_id, token_id, charge, at, logged, channel_id, type, username, token_name, model, group_name, pt, ct,
      use_time, is_stream, ip, content, other)
  where logged and (select done from known)
), uh as (
  insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens,
    completion_tokens, quota, cached_tokens, first_ms, first_calls)
  select * from unnest($31::bigint[], $32::bigint[], $33::bigint[], $34::bigint[], $35::text[], $36::text[], $37::bigint[],
    $38::bigint[], $39::bigint[], $40::bigint[], $41::bigint[], $42::bigint[], $43::bigint[]) as q
  where (select done from known)
  order by 1, 2, 3, 4, 5, 6 -- sorted: unsorted upserts of two processes deadlock
  on conflict (hour, user_id, token_id, channel_id, model_name, group_name) do update set
    calls = usage_hourly.calls + excluded.calls, prompt_tokens = usage_hourly.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage_hourly.completion_tokens + excluded.completion_tokens,
    quota = usage_hourly.quota + excluded.quota, cached_tokens = usage_hourly.cached_tokens + excluded.cached_tokens,
    first_ms = usage_hourly.first_ms + excluded.first_ms, first_calls = usage_hourly.first_calls + excluded.first_calls
)
select coalesce(done, false) as done from known
