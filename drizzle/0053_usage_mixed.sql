-- What a user asks of his own calls in any combination: token, group and model, one a line. Of the parts that are folded;
-- parts that are late are folded again in any case.
INSERT INTO "usage_folded" ("user_id", "dimension", "hours", "part", "value", "calls", "prompt_tokens", "completion_tokens", "quota", "cached_tokens", "first_ms", "first_calls", "failed")
SELECT f.user_id, 6, 8, f.hour / 28800 * 28800, concat_ws(E'\n', f.token_id, f.group_name, f.model_name),
  sum(f.calls)::bigint, sum(f.prompt_tokens)::bigint, sum(f.completion_tokens)::bigint, sum(f.quota)::bigint,
  sum(f.cached_tokens)::bigint, sum(f.first_ms)::bigint, sum(f.first_calls)::bigint, sum(f.failed)::bigint
FROM (
  SELECT hour, user_id, token_id, group_name, model_name, calls, prompt_tokens, completion_tokens, quota, cached_tokens,
    first_ms, first_calls, 0 AS failed
  FROM "usage_hourly"
  UNION ALL
  SELECT hour, user_id, token_id, group_name, model_name, 0, 0, 0, 0, 0, 0, 0, calls FROM "failures_hourly"
) f
WHERE f.hour / 28800 * 28800 IN (SELECT part FROM "usage_parts")
GROUP BY 1, 4, 5;
