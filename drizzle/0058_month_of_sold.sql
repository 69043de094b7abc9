ALTER TABLE "usage_hourly" ADD COLUMN "sold_name" text;--> statement-breakpoint
-- Of this month and the one before, which is settled late: names that ask a model to think are sold as the model, unless the
-- price tables name them, as the settlements tell from now on (src/core/model-variant.ts).
WITH RECURSIVE "tables" AS (
  SELECT coalesce(string_agg("value", ''), '') AS named FROM "options"
  WHERE "key" IN ('ModelTieredPrice', 'ModelPrice', 'ModelRatio')
), "since" AS (
  SELECT extract(epoch FROM (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month') AT TIME ZONE 'UTC')::bigint AS hour
), "behind"(name, sold) AS (
  SELECT DISTINCT "model_name", "model_name" FROM "usage_hourly" WHERE "hour" >= (SELECT hour FROM "since")
    AND "model_name" ~ '-(nothinking|thinking(-\d{1,6})?|none|minimal|low|medium|high|xhigh)$'
  UNION
  SELECT name, regexp_replace(regexp_replace(regexp_replace(sold, '^(.*claude.*)-thinking$', '\1'),
      '^((?:.*/)?gemini-2\.5-.+)-(?:nothinking|thinking(?:-\d{1,6})?)$', '\1'),
      '^((?:.*/)?(?:o\d|gpt-(?:[5-9]|[12]\d))(?!\d)(?:[.-].*)?)-(?:none|minimal|low|medium|high|xhigh)$', '\1')
  FROM "behind" WHERE strpos((SELECT named FROM "tables"), '"' || sold || '"') = 0
), "last" AS (
  SELECT DISTINCT ON (name) name, sold FROM "behind" ORDER BY name, length(sold)
)
UPDATE "usage_hourly" h SET "sold_name" = l.sold FROM "last" l
WHERE h."hour" >= (SELECT hour FROM "since") AND h."model_name" = l.name AND l.sold <> l.name;--> statement-breakpoint
-- By what was sold: all names that come to one model are one month.
CREATE OR REPLACE FUNCTION "month_tokens"("of_user" bigint, "of_model" text, "since" bigint) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  select coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint from usage_hourly
  where user_id = of_user and coalesce(sold_name, model_name) = of_model and hour >= since
    and hour < extract(epoch from (to_timestamp(since) at time zone 'UTC' + interval '1 month') at time zone 'UTC')::bigint
$$;
