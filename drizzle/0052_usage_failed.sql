ALTER TABLE "usage_folded" ADD COLUMN "failed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Of the parts and spans that are folded. Parts that are late are folded again in any case.
INSERT INTO "usage_folded" ("user_id", "dimension", "hours", "part", "value", "calls", "prompt_tokens", "completion_tokens", "quota", "failed")
SELECT v.owner, v.dimension, v.hours, v.part, v.value, 0, 0, 0, 0, sum(f.calls)::bigint
FROM "failures_hourly" f
  CROSS JOIN LATERAL (VALUES
    (1, f.model_name), (2, f.token_id::text), (3, f.group_name), (4, f.channel_id::text), (5, f.user_id::text)
  ) d(dimension, value)
  CROSS JOIN LATERAL (VALUES
    (-1, d.dimension, 8, f.hour / 28800 * 28800, d.value, true),
    (f.user_id, d.dimension, 8, f.hour / 28800 * 28800, d.value, d.dimension <> 5),
    (-1, d.dimension, 1, f.hour, d.value, d.dimension IN (1, 3, 4)),
    (-1, d.dimension, 192, f.hour / 691200 * 691200, d.value,
      f.hour / 691200 * 691200 IN (SELECT span FROM "usage_spans" WHERE is_whole))
  ) v(owner, dimension, hours, part, value, counts)
WHERE v.counts AND f.hour / 28800 * 28800 IN (SELECT part FROM "usage_parts")
GROUP BY 1, 2, 3, 4, 5
ON CONFLICT (user_id, dimension, hours, part, value) DO UPDATE SET failed = excluded.failed;--> statement-breakpoint
-- Parts in which all calls came to nothing were never folded, and no span is whole without them.
UPDATE "usage_spans" SET "is_whole" = false WHERE span IN (
  SELECT hour / 691200 * 691200 FROM "failures_hourly" WHERE hour / 28800 * 28800 NOT IN (SELECT part FROM "usage_parts")
);
