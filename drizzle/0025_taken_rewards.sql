ALTER TABLE "rewards" DROP CONSTRAINT "rewards_cause";--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "paid_by" uuid;--> statement-breakpoint
ALTER TABLE "rewards" ADD COLUMN "grant_ref" uuid;--> statement-breakpoint
CREATE INDEX "rewards_taken_back" ON "rewards" USING btree ("grant_ref") WHERE "rewards"."grant_ref" is not null;--> statement-breakpoint
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_cause" CHECK (("rewards"."amount" > 0 and "rewards"."grant_ref" is null) = ("rewards"."cause_id" is not null) and "rewards"."amount" <> 0);--> statement-breakpoint
-- Those that an order is known to have paid: the invited user's one credit at that second, which is an order's.
UPDATE "invitations" SET "paid_by" = "credit"."ref"
FROM (
  SELECT "user_id", "created_at", (array_agg("ref"))[1] AS "ref" FROM "ledger"
  WHERE "kind" IN (2, 3) GROUP BY "user_id", "created_at" HAVING count(*) = 1 AND min("kind") = 2
) AS "credit"
WHERE "invitations"."trigger" = 'first_topup' AND "credit"."user_id" = "invitations"."invitee_id"
  AND "credit"."created_at" = "invitations"."paid_at"
  AND EXISTS (SELECT FROM "topups" WHERE "topups"."ref" = "credit"."ref" AND "topups"."user_id" = "credit"."user_id");
