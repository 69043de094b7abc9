-- Charges a batch of calls whose every reservation is as the process knows it and covers its charge, as nearly always, or
-- changes nothing: then settle.sql decides one by one. What becomes of each row was added up before, so that nothing is
-- joined, ordered or summed here. What it does is what settle.sql does where paid = charge.
-- The lists between braces stand in `at-once.ts`, each with its type and its value: of each call, in the order of ids, and
-- each user, token, channel of charged calls and row of the hourly figures once.
-- Between brackets stands what only users need of whom months are kept, and after a stroke that there is none.
-- Returns whether it was done. Locks, their order and where new values come from: reserve.sql says why.
with held as materialized (
  select id, user_id, token_id, amount from reservations where id = any({calls.id})
  order by id::text collate "C" for update
), tk as materialized (
  select id, remain_quota, unlimited_quota, used_quota, accessed_time from tokens
  where id = any({tokens.id}) and (select count(*) from held) >= 0 order by id for update
), us as materialized (
  -- The log row of a user who was erased while his call was under way tells his pseudonym: settle.sql knows it.
  select id, quota, reserved, used_quota, request_count,
-- [month
    month_models, erased_at is null as usual
-- |
    erased_at is null and month_models is null as usual
-- ]
  from users
  where id = any({users.id}) and (select count(*) from tk) >= 0 order by id for update
), ch as materialized (
  select id, used_quota from channels
  where id = any({channels.id}) and (select count(*) from us) >= 0 order by id for update
), known as materialized (
  select array_agg(id) = {calls.id} and array_agg(user_id) = {calls.user_id} and array_agg(token_id) = {calls.token_id}
      and array_agg(amount) = {calls.amount}
      and (select count(*) from us where usual) = cardinality({users.id}) and (select count(*) from ch) >= 0 as done
  from (select * from held order by id) h
), d as (
  delete from reservations where id = any({calls.id}) and (select done from known)
), ut as (
  update tokens t set
    remain_quota = case when tk.unlimited_quota then tk.remain_quota else tk.remain_quota + s.held - s.charge end,
    used_quota = tk.used_quota + s.charge, accessed_time = greatest(tk.accessed_time, s.at)
  from tk join {tokens as s: id, held, charge, at} on s.id = tk.id
  where t.id = tk.id and (select done from known)
), uu as (
  update users u set reserved = us.reserved - s.held, quota = us.quota + s.held - s.charge,
    used_quota = us.used_quota + s.charge, request_count = us.request_count + s.calls
  from us join {users as s: id, held, charge, calls} on s.id = us.id
  where u.id = us.id and (select done from known)
), uc as (
  update channels h set used_quota = ch.used_quota + s.charge
  from ch join {channels as s: id, charge} on s.id = ch.id
  where h.id = ch.id and (select done from known)
), le as (
  insert into ledger (user_id, kind, ref, delta, created_at)
  select user_id, 1, id, -charge, at
  from {calls as q: id, user_id, charge, at}
  where charge > 0 and (select done from known)
), lo as (
  insert into logs (created_at, request_id, user_id, token_id, channel_id, type, username, token_name, model_name,
    group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, ip, content, other)
  select at, id, user_id, token_id, channel_id, type, username, token_name, model, group_name, charge, pt, ct, use_time,
    is_stream, ip, content, other::jsonb
  from {calls as q: id, user_id, token_id, charge, at, logged, channel_id, type, username, token_name, model, group_name,
    pt, ct, use_time, is_stream, ip, content, other}
  where logged and (select done from known)
), uh as (
  insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens,
    completion_tokens, quota, cached_tokens, first_ms, first_calls, sold_name)
  select hour, user_id, token_id, channel_id, model, group_name, calls, pt, ct, charge, cached, first_ms, first_calls,
    nullif(sold, model)
  from {hours as q: hour, user_id, token_id, channel_id, model, group_name, calls, pt, ct, charge, cached, first_ms,
    first_calls, sold}
  where (select done from known)
  order by 1, 2, 3, 4, 5, 6 -- sorted: unsorted upserts of two processes deadlock
  on conflict (hour, user_id, token_id, channel_id, model_name, group_name) do update set
    calls = usage_hourly.calls + excluded.calls, prompt_tokens = usage_hourly.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage_hourly.completion_tokens + excluded.completion_tokens,
    quota = usage_hourly.quota + excluded.quota, cached_tokens = usage_hourly.cached_tokens + excluded.cached_tokens,
    first_ms = usage_hourly.first_ms + excluded.first_ms, first_calls = usage_hourly.first_calls + excluded.first_calls,
    sold_name = case when usage_hourly.sold_name is not distinct from excluded.sold_name then excluded.sold_name else '' end
-- [month
), um as materialized (
  select count_month(q.user_id, q.sold, q.hour, q.pt + q.ct)
  from {hours as q: user_id, sold, hour, pt, ct} join us on us.id = q.user_id
  where q.sold = any(us.month_models) and (select done from known)
-- ]
)
select coalesce(done, false) as done from known
-- [month
where (select count(*) from um) >= 0
-- ]
