CREATE TABLE "usage_spans" (
	"span" bigint PRIMARY KEY NOT NULL,
	"is_whole" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_folded" DROP CONSTRAINT "usage_folded_user_id_dimension_part_value_pk";--> statement-breakpoint
ALTER TABLE "usage_folded" ADD COLUMN "hours" smallint DEFAULT 8 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_folded" ALTER COLUMN "hours" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "usage_folded" ADD CONSTRAINT "usage_folded_user_id_dimension_hours_part_value_pk" PRIMARY KEY("user_id","dimension","hours","part","value");--> statement-breakpoint
-- Everybody's hours of the parts that are folded: models, groups and channels. Spans are summed up by the next daily work.
INSERT INTO "usage_folded" ("user_id", "dimension", "hours", "part", "value", "calls", "prompt_tokens", "completion_tokens", "quota", "cached_tokens", "first_ms", "first_calls")
SELECT -1, v.dimension, 1, h.hour, v.value, sum(h.calls)::bigint, sum(h.prompt_tokens)::bigint, sum(h.completion_tokens)::bigint,
  sum(h.quota)::bigint, sum(h.cached_tokens)::bigint, sum(h.first_ms)::bigint, sum(h.first_calls)::bigint
FROM "usage_hourly" h
  CROSS JOIN LATERAL (VALUES (1, h.model_name), (3, h.group_name), (4, h.channel_id::text)) v(dimension, value)
WHERE h.hour / 28800 * 28800 IN (SELECT part FROM "usage_parts")
GROUP BY v.dimension, h.hour, v.value;--> statement-breakpoint
INSERT INTO "usage_spans" ("span", "is_whole") SELECT DISTINCT part / 691200 * 691200, false FROM "usage_parts";
