ALTER TABLE "topup_reversals" DROP CONSTRAINT "topup_reversals_money";--> statement-breakpoint
ALTER TABLE "topups" DROP CONSTRAINT "topups_status";--> statement-breakpoint
DROP INDEX "topups_unpaid";--> statement-breakpoint
ALTER TABLE "topup_reversals" ADD COLUMN "told" bigint;--> statement-breakpoint
ALTER TABLE "topups" ADD COLUMN "voided_by" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "topups" ADD COLUMN "void_reason" text DEFAULT '' NOT NULL;--> statement-breakpoint
-- What a cause had come to was not kept: it is known as far as it took something.
UPDATE "topup_reversals" SET "told" = "known"."told"
FROM (
  SELECT "id", CASE WHEN "kind" = 'won' THEN 0
    ELSE sum("money") OVER (PARTITION BY "topup_id", "kind", "cause" ORDER BY "id") END AS "told"
  FROM "topup_reversals"
) AS "known"
WHERE "topup_reversals"."id" = "known"."id";--> statement-breakpoint
-- A payment that was refunded in part is refunded, also when a dispute over the rest was won.
UPDATE "topups" SET "status" = 'refunded'
WHERE "status" = 'reinstated'
  AND EXISTS (SELECT FROM "topup_reversals" WHERE "topup_id" = "topups"."id" AND "kind" = 'refund');--> statement-breakpoint
ALTER TABLE "topup_reversals" ALTER COLUMN "told" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "topups_unpaid" ON "topups" USING btree ("asked_at","id") WHERE "topups"."status" in ('pending', 'expired', 'voided');--> statement-breakpoint
ALTER TABLE "topup_reversals" ADD CONSTRAINT "topup_reversals_money" CHECK ("topup_reversals"."money" between 0 and 9007199254740991 and "topup_reversals"."told" between 0 and 9007199254740991
        and ("topup_reversals"."told" > 0 or "topup_reversals"."kind" = 'won'));--> statement-breakpoint
ALTER TABLE "topups" ADD CONSTRAINT "topups_status" CHECK ("topups"."status" in ('pending', 'success', 'expired', 'failed', 'refunded', 'disputed', 'reinstated', 'voided'));
