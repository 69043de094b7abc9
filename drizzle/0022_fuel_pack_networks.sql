ALTER TABLE "fuel_packs" ADD COLUMN "provider_network" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "fuel_packs_provider_network" ON "fuel_packs" USING btree ("provider_network","claimed_at" DESC NULLS LAST) WHERE "fuel_packs"."provider_network" <> '';--> statement-breakpoint
-- What is set nowhere has its default, and this one changes: a site that is in use keeps what it had.
INSERT INTO "options" ("key", "value") SELECT 'fuel_pack.verified_only', 'false' WHERE EXISTS (SELECT FROM "users") ON CONFLICT DO NOTHING;
