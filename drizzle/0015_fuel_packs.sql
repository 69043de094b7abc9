CREATE TABLE "fuel_packs" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"ref" uuid NOT NULL,
	"claimed_at" bigint NOT NULL,
	"network" text NOT NULL,
	"total_quota" bigint NOT NULL,
	CONSTRAINT "fuel_packs_total" CHECK ("fuel_packs"."total_quota" between 0 and 9007199254740991)
);
--> statement-breakpoint
CREATE INDEX "fuel_packs_network" ON "fuel_packs" USING btree ("network","claimed_at" DESC NULLS LAST);