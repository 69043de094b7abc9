-- The usage log, partitioned by month. A DEFAULT partition always exists, so that no clock and no forgotten job can
-- stop a settlement; src/db/partitions.ts makes the months.
CREATE TABLE "logs" (
	"id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
	"created_at" bigint NOT NULL,
	"request_id" uuid,
	"user_id" bigint NOT NULL,
	"token_id" bigint DEFAULT 0 NOT NULL,
	"channel_id" bigint DEFAULT 0 NOT NULL,
	"type" smallint NOT NULL,
	"username" text DEFAULT '' NOT NULL,
	"token_name" text DEFAULT '' NOT NULL,
	"model_name" text DEFAULT '' NOT NULL,
	"group_name" text DEFAULT '' NOT NULL,
	"quota" bigint DEFAULT 0 NOT NULL,
	"prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"completion_tokens" bigint DEFAULT 0 NOT NULL,
	"use_time" integer DEFAULT 0 NOT NULL,
	"is_stream" boolean DEFAULT false NOT NULL,
	"ip" text DEFAULT '' NOT NULL,
	"content" text DEFAULT '' NOT NULL,
	"other" jsonb DEFAULT '{}' NOT NULL,
	PRIMARY KEY ("id", "created_at")
) PARTITION BY RANGE ("created_at");
--> statement-breakpoint
CREATE TABLE "logs_default" PARTITION OF "logs" DEFAULT;
--> statement-breakpoint
CREATE INDEX "logs_user" ON "logs" ("user_id", "created_at" DESC, "id" DESC);
--> statement-breakpoint
CREATE INDEX "logs_time" ON "logs" ("created_at" DESC, "id" DESC);
--> statement-breakpoint
CREATE INDEX "logs_request" ON "logs" ("request_id");
--> statement-breakpoint
-- Every charged call changes one row of each: room on the page keeps those changes out of the indexes.
ALTER TABLE "users" SET (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "tokens" SET (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "channels" SET (fillfactor = 80);
