CREATE TABLE "failures_hourly" (
	"hour" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"model_name" text NOT NULL,
	"group_name" text NOT NULL,
	"code" text NOT NULL,
	"calls" bigint NOT NULL,
	CONSTRAINT "failures_hourly_hour_user_id_token_id_channel_id_model_name_group_name_code_pk" PRIMARY KEY("hour","user_id","token_id","channel_id","model_name","group_name","code")
);
--> statement-breakpoint
CREATE INDEX "failures_hourly_user" ON "failures_hourly" USING btree ("user_id","hour" DESC NULLS LAST);
--> statement-breakpoint
UPDATE "logs" SET "type" = 6 WHERE "type" = 4 AND "other" ? 'error';
--> statement-breakpoint
UPDATE "logs" SET "type" = 7 WHERE "type" = 4 AND "channel_id" <> 0 AND "model_name" <> '';
--> statement-breakpoint
INSERT INTO "failures_hourly"
SELECT created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, other ->> 'error', count(*)
FROM "logs" WHERE "type" = 6 GROUP BY 1, 2, 3, 4, 5, 6, 7;
