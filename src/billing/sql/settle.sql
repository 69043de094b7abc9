-- Charges a batch of calls, gives back what they held beyond that and writes their log rows. An id whose reservation is
-- gone is skipped, so that a settlement may be sent any number of times. A failed call is type 4 with charge 0.
-- paid <= charge: what the reservation does not cover is taken from the balance, what that does not cover is written off.
-- A key pays no more than it has left, and its user the rest: then it is short for these calls.
-- $1 uuid[] ids (each once)  $2 bigint[] charges  $3 bigint[] channels  $4 text[] models  $5 bigint[] prompt tokens
-- $6 bigint[] completion tokens  $7 text[] other (JSON)  $8 bigint[] times  $9 smallint[] types  $10 text[] usernames
-- $11 text[] token names  $12 text[] groups  $13 int[] seconds used  $14 boolean[] streamed  $15 text[] addresses
-- $16 text[] content  $17 text[] tiers of the month (JSON; the charge of the tier that the user's tokens of
-- what is sold this month choose stands in the place of $2; '' for none)  $18 boolean[] without a log row
-- $19 bigint[] cached tokens  $20 bigint[] milliseconds to the first content, below 0 for none
-- $21 text[] what is sold
-- Lock order: reservation, token, user, channel, rollup, each sorted; months, and what says of which models a user has them,
-- only by who holds their user. New values come from the rows as they were locked,
-- and reservations are found by their ids alone (reserve.sql says why).
-- Between brackets stands what only some batches need, and after a stroke what the others have in its place: to begin
-- each part takes Postgres longer than to find that it has nothing to do. Nearly all batches need none of them.
with q as materialized (
  select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
    $8::bigint[], $9::smallint[], $10::text[], $11::text[], $12::text[], $13::int[], $14::boolean[], $15::text[], $16::text[], $17::text[],
    $18::boolean[], $19::bigint[], $20::bigint[], $21::text[])
    as q(id, charge, channel_id, model, pt, ct, other, at, type, username, token_name, group_name, use_time, is_stream, ip,
      content, tiers, unlogged, cached, first_ms, sold)
), held as materialized (
  select id, user_id, token_id, amount from reservations where id = any($1::uuid[])
  order by id::text collate "C" for update
), lk as materialized (
  select held.*, q.charge, q.channel_id, q.type, q.at from held join q on q.id = held.id
), tk as materialized (
  select id, remain_quota, unlimited_quota, used_quota, accessed_time from tokens
  where id in (select token_id from lk) order by id for update
), us as materialized (
  select id, quota, reserved, used_quota, request_count, month_models,
    case when erased_at is not null then username end as pseudonym from users
  where id in (select user_id from lk) and (select count(*) from tk) >= 0 order by id for update
-- [month
), mq as materialized (
  select lk.id, lk.user_id, q.sold, q.pt + q.ct as tokens, q.tiers::jsonb as tiers, month_begin(q.at) as month
  from lk join q on q.id = lk.id where q.tiers <> ''
), mu as materialized (
  -- Behind the lock of the user: whoever charges him elsewhere waits there, and month_tokens sees what he has committed.
  -- Before that of the channel, which others need: a month that is asked for the first time is added up.
  select user_id, sold, month, month_tokens(user_id, sold, month) as used
  from (select distinct user_id, sold, month from mq) m where (select count(*) from us) >= 0
-- ]
), ch as materialized (
  select id, used_quota from channels
  where id in (select channel_id from lk where type = 2) and (select count(*) from us) >= 0
-- [month
    and (select count(*) from mu) >= 0
-- ]
  order by id for update
-- [month
), mm as materialized (
  -- Whose month is asked for once is counted by every settlement from then on.
  select us.id as user_id, array(
    select unnest(us.month_models) union select sold from mu where mu.user_id = us.id order by 1
  ) as month_models from us where id in (select user_id from mu)
), mt as (
  select mq.*, mu.used + coalesce(sum(mq.tokens) over (
    partition by mq.user_id, mq.sold, mq.month order by mq.id rows between unbounded preceding and 1 preceding
  ), 0)::bigint as used
  from mq join mu on mu.user_id = mq.user_id and mu.sold = mq.sold and mu.month = mq.month
), mc as materialized (
  select mt.id, mt.used, t.charge, t.other from mt cross join lateral (
    select (e ->> 'charge')::bigint as charge, e -> 'other' as other
    from jsonb_array_elements(mt.tiers) with ordinality as tier(e, n)
    where e ->> 'up_to' is null or mt.used <= (e ->> 'up_to')::bigint order by n limit 1
  ) t
-- ]
), pr as materialized (
  select lk.id, lk.user_id, lk.token_id, lk.amount, lk.channel_id, lk.type, lk.at,
-- [month
    coalesce(mc.charge, lk.charge) as charge, mc.used as month_used, mc.other as month_other, mm.month_models
  from lk left join mc on mc.id = lk.id left join mm on mm.user_id = lk.user_id
-- |
    lk.charge, null::bigint as month_used, null::jsonb as month_other, null::text[] as month_models
  from lk
-- ]
), x as (
  select lk.*, us.quota, us.reserved, us.used_quota, us.request_count, us.pseudonym,
    coalesce(lk.month_models, us.month_models) as counted, greatest(lk.charge - lk.amount, 0) as over,
    sum(greatest(lk.charge - lk.amount, 0)) over (partition by lk.user_id order by lk.id) as osum,
    sum(greatest(lk.amount - lk.charge, 0)) over (partition by lk.user_id) as back
  from pr as lk join us on us.id = lk.user_id where (select count(*) from ch) >= 0
), c as materialized (
  select x.*, least(charge, amount + greatest(least(over, quota + back - (osum - over)), 0))::bigint as paid from x
), d as (
  delete from reservations where id = any(array(select id from c))
), ut as (
  update tokens t set
    remain_quota = case when tk.unlimited_quota then tk.remain_quota else greatest(tk.remain_quota + s.a - s.c, 0) end,
    used_quota = tk.used_quota + s.c, accessed_time = greatest(tk.accessed_time, s.at)
  from tk join (
    select token_id, sum(amount)::bigint as a, sum(paid)::bigint as c, max(at) as at from c group by 1
  ) s on s.token_id = tk.id
  where t.id = tk.id
), uu as (
  update users u set reserved = s.reserved - s.a, quota = s.quota + s.a - s.c, used_quota = s.used_quota + s.c,
    request_count = s.request_count + s.n
-- [month
    , month_models = s.counted
-- ]
  from (
    select user_id, quota, reserved, used_quota, request_count, counted, sum(amount)::bigint as a, sum(paid)::bigint as c,
      count(*) filter (where type = 2) as n
    from c group by 1, 2, 3, 4, 5, 6
  ) s where u.id = s.user_id
), uc as (
  update channels h set used_quota = ch.used_quota + s.c
  from ch join (select channel_id, sum(paid)::bigint as c from c where type = 2 group by 1) s on s.channel_id = ch.id
  where h.id = ch.id
), le as (
  insert into ledger (user_id, kind, ref, delta, created_at, note)
  select user_id, 1, id, -paid, at, null from c where paid > 0
  union all select user_id, 10, id, 0, at, (charge - paid)::text from c where charge > paid order by 3
), lo as (
  insert into logs (created_at, request_id, user_id, token_id, channel_id, type, username, token_name, model_name,
    group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, ip, content, other)
  -- Of a user who was erased while his call was under way the row tells his pseudonym.
  select c.at, c.id, c.user_id, c.token_id, c.channel_id, c.type, coalesce(c.pseudonym, q.username),
    case when c.pseudonym is null then q.token_name else '' end, q.model, q.group_name, c.paid, q.pt, q.ct, q.use_time,
    q.is_stream, case when c.pseudonym is null then q.ip else '' end, q.content,
    case when c.month_other is null then q.other::jsonb
      else jsonb_set(q.other::jsonb || c.month_other, '{price_tier,count}', to_jsonb(c.month_used)) end
  from c join q on q.id = c.id where not q.unlogged order by c.id
), uh as (
  insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens,
    completion_tokens, quota, cached_tokens, first_ms, first_calls, sold_name)
  select c.at / 3600 * 3600, c.user_id, c.token_id, c.channel_id, q.model, q.group_name, count(*), sum(q.pt)::bigint,
    sum(q.ct)::bigint, sum(c.paid)::bigint, sum(q.cached)::bigint, sum(greatest(q.first_ms, 0))::bigint,
    count(*) filter (where q.first_ms >= 0),
    case when min(q.sold) = max(q.sold) then nullif(max(q.sold), q.model) else '' end
  from c join q on q.id = c.id where c.type = 2
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6 -- sorted: unsorted upserts of two processes deadlock
  on conflict (hour, user_id, token_id, channel_id, model_name, group_name) do update set
    calls = usage_hourly.calls + excluded.calls, prompt_tokens = usage_hourly.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage_hourly.completion_tokens + excluded.completion_tokens,
    quota = usage_hourly.quota + excluded.quota, cached_tokens = usage_hourly.cached_tokens + excluded.cached_tokens,
    first_ms = usage_hourly.first_ms + excluded.first_ms, first_calls = usage_hourly.first_calls + excluded.first_calls,
    -- Another one only where prices changed within the hour: then it is of no month that is added up later.
    sold_name = case when usage_hourly.sold_name is not distinct from excluded.sold_name then excluded.sold_name else '' end
), um as materialized (
  -- By whatever price, where a price by the month has asked before. Behind the lock of the user, as all that counts there.
  select count_month(user_id, sold, month, tokens) from (
    select c.user_id, q.sold, month_begin(c.at) as month, sum(q.pt + q.ct)::bigint as tokens
    from c join q on q.id = c.id
    where c.type = 2 and q.sold = any(c.counted) and (select bool_or(counted is not null) from c) group by 1, 2, 3
  ) s
-- [late
), lt as (
  -- Of a part of a day that may be folded already: it is to be folded again. Who folds it now is not waited for.
  insert into usage_late (part) select distinct c.at / 28800 * 28800 from c where c.type = 2
-- ]
-- [unlogged
), un as (
  -- What the log does not tell, so that the two can still be compared.
  insert into usage_unlogged (hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens,
    completion_tokens, quota)
  select c.at / 3600 * 3600, c.user_id, c.token_id, c.channel_id, q.model, q.group_name, count(*), sum(q.pt)::bigint,
    sum(q.ct)::bigint, sum(c.paid)::bigint
  from c join q on q.id = c.id where c.type = 2 and q.unlogged
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (hour, user_id, token_id, channel_id, model_name, group_name) do update set
    calls = usage_unlogged.calls + excluded.calls, prompt_tokens = usage_unlogged.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage_unlogged.completion_tokens + excluded.completion_tokens,
    quota = usage_unlogged.quota + excluded.quota
-- ]
)
select c.id, paid, charge - paid as written_off, counted is not null as has_months,
  not coalesce(tk.unlimited_quota, true)
    and tk.remain_quota + sum(c.amount - c.paid) over (partition by c.token_id) < 0 as key_short
from c left join tk on tk.id = c.token_id where (select count(*) from um) >= 0
