CREATE TABLE "usage_late" (
	"part" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "usage_late_part_index" ON "usage_late" USING btree ("part");--> statement-breakpoint
-- What was to be folded again, or was noted before it was folded at all.
INSERT INTO "usage_late" ("part") SELECT "part" FROM "usage_parts" WHERE NOT "folded";--> statement-breakpoint
ALTER TABLE "usage_parts" DROP COLUMN "folded";
