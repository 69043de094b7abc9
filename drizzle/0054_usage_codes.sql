-- Failed calls by their code, of the parts and spans that are folded; parts that are late are folded again in any case. Hours
-- of a user are folded where his other hours of the part are.
INSERT INTO "usage_folded" ("user_id", "dimension", "hours", "part", "value", "calls", "prompt_tokens", "completion_tokens", "quota", "failed")
SELECT v.owner, 7, v.hours, v.part, f.code, 0, 0, 0, 0, sum(f.calls)::bigint
FROM "failures_hourly" f
  CROSS JOIN LATERAL (VALUES
    (-1, 8, f.hour / 28800 * 28800, true),
    (f.user_id, 8, f.hour / 28800 * 28800, true),
    (-1, 1, f.hour, true),
    (f.user_id, 1, f.hour, EXISTS (
      SELECT 1 FROM "usage_folded" u
      WHERE u.user_id = f.user_id AND u.dimension = 3 AND u.hours = 1
        AND u.part >= f.hour / 28800 * 28800 AND u.part < f.hour / 28800 * 28800 + 28800
    )),
    (-1, 192, f.hour / 691200 * 691200, f.hour / 691200 * 691200 IN (SELECT span FROM "usage_spans" WHERE is_whole))
  ) v(owner, hours, part, counts)
WHERE v.counts AND f.calls > 0 AND f.hour / 28800 * 28800 IN (SELECT part FROM "usage_parts")
GROUP BY 1, 3, 4, 5;
