ALTER TABLE "tasks" ADD COLUMN "app_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- What tokens submitted that applications had made was theirs before it was written down.
UPDATE "tasks" SET "app_id" = "tokens"."oauth_app_id" FROM "tokens"
	WHERE "tokens"."id" = "tasks"."token_id" AND "tokens"."oauth_app_id" IS NOT NULL;
