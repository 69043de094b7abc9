ALTER TABLE "topup_reversals" DROP CONSTRAINT "topup_reversals_kind";--> statement-breakpoint
ALTER TABLE "topup_reversals" DROP CONSTRAINT "topup_reversals_money";--> statement-breakpoint
ALTER TABLE "topups" DROP CONSTRAINT "topups_status";--> statement-breakpoint
ALTER TABLE "topup_reversals" ADD CONSTRAINT "topup_reversals_kind" CHECK ("topup_reversals"."kind" in ('refund', 'dispute', 'owed', 'won'));--> statement-breakpoint
ALTER TABLE "topup_reversals" ADD CONSTRAINT "topup_reversals_money" CHECK ("topup_reversals"."money" between 0 and 9007199254740991 and "topup_reversals"."told" between 0 and 9007199254740991
        and ("topup_reversals"."told" > 0 or "topup_reversals"."kind" in ('owed', 'won')));--> statement-breakpoint
ALTER TABLE "topups" ADD CONSTRAINT "topups_status" CHECK ("topups"."status" in ('pending', 'success', 'expired', 'failed', 'refunded', 'disputed', 'owed', 'reinstated', 'voided'));