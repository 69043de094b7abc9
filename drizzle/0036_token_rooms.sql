CREATE INDEX "tokens_deleted" ON "tokens" USING btree ("user_id","deleted_at") WHERE "tokens"."deleted_at" is not null;--> statement-breakpoint
-- Nobody reads the lists of a deleted token any more.
UPDATE "tokens" SET "model_limits" = '{}', "allow_ips" = '{}'
WHERE "deleted_at" IS NOT NULL AND ("model_limits" <> '{}' OR "allow_ips" <> '{}');
