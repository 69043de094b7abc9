CREATE TABLE "tasks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tasks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"public_id" text NOT NULL,
	"platform" text NOT NULL,
	"action" text NOT NULL,
	"model_name" text NOT NULL,
	"user_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"channel_id" bigint DEFAULT 0 NOT NULL,
	"key_id" bigint DEFAULT 0 NOT NULL,
	"request_id" uuid NOT NULL,
	"upstream_id" text DEFAULT '' NOT NULL,
	"status" text DEFAULT '' NOT NULL,
	"progress" smallint DEFAULT 0 NOT NULL,
	"fail_code" text DEFAULT '' NOT NULL,
	"fail_reason" text DEFAULT '' NOT NULL,
	"quota" bigint NOT NULL,
	"refund" smallint DEFAULT 0 NOT NULL,
	"refunded" bigint DEFAULT 0 NOT NULL,
	"submit_time" bigint NOT NULL,
	"start_time" bigint DEFAULT 0 NOT NULL,
	"finish_time" bigint DEFAULT 0 NOT NULL,
	"updated_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"polls" integer DEFAULT 0 NOT NULL,
	"poll_at" bigint NOT NULL,
	"input" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"data" jsonb,
	CONSTRAINT "tasks_progress" CHECK ("tasks"."progress" between 0 and 100),
	CONSTRAINT "tasks_quota" CHECK ("tasks"."quota" between 0 and 9007199254740991),
	CONSTRAINT "tasks_refunded" CHECK ("tasks"."refunded" between 0 and 9007199254740991 and ("tasks"."refunded" = 0 or "tasks"."refund" = 2))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "tasks_public" ON "tasks" USING btree ("public_id");--> statement-breakpoint
CREATE INDEX "tasks_user" ON "tasks" USING btree ("user_id","submit_time" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "tasks_time" ON "tasks" USING btree ("submit_time" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "tasks_open" ON "tasks" USING btree ("user_id") WHERE "tasks"."status" not in ('SUCCESS', 'FAILURE');--> statement-breakpoint
CREATE INDEX "tasks_due" ON "tasks" USING btree ("poll_at") WHERE "tasks"."status" not in ('SUCCESS', 'FAILURE') or "tasks"."refund" = 1;