ALTER TABLE "tasks" ADD COLUMN "hook" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "hook_tries" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "hook_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "tasks_hooks" ON "tasks" USING btree ("hook_at") WHERE "tasks"."hook_tries" > 0;