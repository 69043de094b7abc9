CREATE TABLE "usage_folded" (
	"user_id" bigint NOT NULL,
	"dimension" smallint NOT NULL,
	"part" bigint NOT NULL,
	"value" text NOT NULL,
	"calls" bigint NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"cached_tokens" bigint DEFAULT 0 NOT NULL,
	"first_ms" bigint DEFAULT 0 NOT NULL,
	"first_calls" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_folded_user_id_dimension_part_value_pk" PRIMARY KEY("user_id","dimension","part","value")
);
--> statement-breakpoint
CREATE TABLE "usage_parts" (
	"part" bigint PRIMARY KEY NOT NULL,
	"folded" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_hourly" ADD COLUMN "cached_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_hourly" ADD COLUMN "first_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_hourly" ADD COLUMN "first_calls" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- What the log still tells of calls that were charged before.
UPDATE "usage_hourly" h SET "cached_tokens" = l.cached, "first_ms" = l.first_ms, "first_calls" = l.first_calls
FROM (
  SELECT created_at / 3600 * 3600 AS hour, user_id, token_id, channel_id, model_name, group_name,
    sum(cached)::bigint AS cached, sum(greatest(first, 0))::bigint AS first_ms, count(*) FILTER (WHERE first >= 0) AS first_calls
  FROM (
    SELECT *,
      CASE WHEN jsonb_typeof(other -> 'cache_tokens') = 'number' THEN least(greatest((other ->> 'cache_tokens')::numeric, 0), 9007199254740991)::bigint ELSE 0 END AS cached,
      CASE WHEN jsonb_typeof(other -> 'frt') = 'number' AND (other ->> 'frt')::numeric >= 0 THEN least((other ->> 'frt')::numeric, 9007199254740991)::bigint ELSE -1 END AS first
    FROM "logs" WHERE "type" = 2
  ) t
  GROUP BY 1, 2, 3, 4, 5, 6
) l
WHERE (h.hour, h.user_id, h.token_id, h.channel_id, h.model_name, h.group_name) = (l.hour, l.user_id, l.token_id, l.channel_id, l.model_name, l.group_name);
