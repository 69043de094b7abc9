ALTER TABLE "tokens" ADD COLUMN "own_keys" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Those without a limit keep what they could do: what applications were given by approval always has one.
UPDATE "tokens" SET "own_keys" = true WHERE "unlimited_quota";
