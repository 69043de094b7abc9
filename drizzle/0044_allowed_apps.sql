ALTER TABLE "tokens" ADD COLUMN "oauth_app_id" bigint;--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD COLUMN "created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL;--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD COLUMN "used_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- The earliest that is known of those that there are.
UPDATE "oauth_consents" SET "created_at" = "updated_at";
