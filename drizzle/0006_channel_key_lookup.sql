ALTER TABLE "channel_keys" ADD COLUMN "key_lookup" text;--> statement-breakpoint
CREATE INDEX "channel_keys_lookup" ON "channel_keys" USING btree ("key_lookup");