CREATE TABLE "usage_unlogged" (
	"hour" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"model_name" text NOT NULL,
	"group_name" text NOT NULL,
	"calls" bigint NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"quota" bigint NOT NULL,
	CONSTRAINT "usage_unlogged_hour_user_id_token_id_channel_id_model_name_group_name_pk" PRIMARY KEY("hour","user_id","token_id","channel_id","model_name","group_name")
);
--> statement-breakpoint
-- Tokens in and out that a user was charged for of a model in the calendar month (UTC) that begins at "since". Volatile:
-- within a statement it sees what others have committed meanwhile, such as the settlement that held the user's row before.
CREATE FUNCTION "month_tokens"("of_user" bigint, "of_model" text, "since" bigint) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  select coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint from usage_hourly
  where user_id = of_user and model_name = of_model and hour >= since
    and hour < extract(epoch from (to_timestamp(since) at time zone 'UTC' + interval '1 month') at time zone 'UTC')::bigint
$$;
