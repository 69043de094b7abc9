CREATE TABLE "usage_months" (
	"user_id" bigint NOT NULL,
	"sold_name" text NOT NULL,
	"month" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "usage_months_user_id_sold_name_month_pk" PRIMARY KEY("user_id","sold_name","month")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "month_models" text[];--> statement-breakpoint
-- The beginning of the calendar month (UTC) in which a second lies.
CREATE FUNCTION "month_begin"("at" bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  select extract(epoch from date_trunc('month', to_timestamp(at) at time zone 'UTC'))::bigint
$$;--> statement-breakpoint
-- Tokens in and out that a user was charged for of what is sold in the month that begins at "since". They are added up once,
-- and kept from then on. To be called by who holds the user's row and has "users.month_models" name the model. Volatile:
-- within a statement it sees what others have committed meanwhile, such as who held that row before.
CREATE OR REPLACE FUNCTION "month_tokens"("of_user" bigint, "of_model" text, "since" bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
declare
  counted bigint;
begin
  select tokens into counted from usage_months where user_id = of_user and sold_name = of_model and month = since;
  if not found then
    select coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint into counted from usage_hourly
    where user_id = of_user and coalesce(sold_name, model_name) = of_model and hour >= since
      and hour < extract(epoch from (to_timestamp(since) at time zone 'UTC' + interval '1 month') at time zone 'UTC')::bigint;
    insert into usage_months (user_id, sold_name, month, tokens) values (of_user, of_model, since, counted);
  end if;
  return counted;
end
$$;--> statement-breakpoint
-- Adds what was charged at a second, where its month is kept. To be called by who holds the user's row. Volatile as above.
CREATE FUNCTION "count_month"("of_user" bigint, "of_model" text, "at" bigint, "more" bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
begin
  update usage_months set tokens = tokens + more
  where user_id = of_user and sold_name = of_model and month = month_begin(at);
end
$$;--> statement-breakpoint
-- Of this month and the one before, which is settled late, in one pass: whatever the operator's tiers name, where some are
-- by the month. What is left out is added up when its price first asks for it.
WITH "tiered" AS (
  SELECT "value" AS named FROM "options" WHERE "key" = 'ModelTieredPrice' AND strpos("value", '"month"') > 0
), "sums" AS MATERIALIZED (
  SELECT "user_id", coalesce("sold_name", "model_name") AS sold, month_begin("hour") AS month,
    sum("prompt_tokens" + "completion_tokens")::bigint AS tokens
  FROM "usage_hourly"
  WHERE "hour" >= extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::bigint
    AND EXISTS (SELECT FROM "tiered")
  GROUP BY 1, 2, 3
), "names" AS MATERIALIZED (
  SELECT sold FROM (SELECT DISTINCT sold FROM "sums") s, "tiered" WHERE strpos(named, '"' || sold || '"') > 0
)
INSERT INTO "usage_months" ("user_id", "sold_name", "month", "tokens")
SELECT "user_id", sold, month, tokens FROM "sums" JOIN "names" USING (sold);--> statement-breakpoint
UPDATE "users" u SET "month_models" = m.models FROM (
  SELECT "user_id", array_agg(DISTINCT "sold_name") AS models FROM "usage_months" GROUP BY 1
) m WHERE u."id" = m."user_id";
