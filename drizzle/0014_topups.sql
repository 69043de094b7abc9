CREATE TABLE "topup_reversals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "topup_reversals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"ref" uuid NOT NULL,
	"topup_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"money" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"created_by" bigint DEFAULT 0 NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	CONSTRAINT "topup_reversals_kind" CHECK ("topup_reversals"."kind" in ('refund', 'dispute')),
	CONSTRAINT "topup_reversals_quota" CHECK ("topup_reversals"."quota" between 0 and 9007199254740991),
	CONSTRAINT "topup_reversals_money" CHECK ("topup_reversals"."money" between 1 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "topups" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "topups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"trade_no" text NOT NULL,
	"ref" uuid NOT NULL,
	"user_id" bigint NOT NULL,
	"provider" text NOT NULL,
	"method" text NOT NULL,
	"quota" bigint NOT NULL,
	"money" bigint NOT NULL,
	"currency" text NOT NULL,
	"places" smallint NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"provider_ref" text DEFAULT '' NOT NULL,
	"code" text DEFAULT '' NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"asked_at" bigint DEFAULT 0 NOT NULL,
	"paid_at" bigint DEFAULT 0 NOT NULL,
	"completed_at" bigint DEFAULT 0 NOT NULL,
	"completed_by" bigint DEFAULT 0 NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	CONSTRAINT "topups_quota" CHECK ("topups"."quota" between 1 and 9007199254740991),
	CONSTRAINT "topups_money" CHECK ("topups"."money" between 1 and 9007199254740991),
	CONSTRAINT "topups_status" CHECK ("topups"."status" in ('pending', 'success', 'expired', 'failed', 'refunded', 'disputed'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "topup_reversals_ref" ON "topup_reversals" USING btree ("ref");--> statement-breakpoint
CREATE INDEX "topup_reversals_topup" ON "topup_reversals" USING btree ("topup_id");--> statement-breakpoint
CREATE UNIQUE INDEX "topups_trade_no" ON "topups" USING btree ("trade_no");--> statement-breakpoint
CREATE UNIQUE INDEX "topups_ref" ON "topups" USING btree ("ref");--> statement-breakpoint
CREATE INDEX "topups_user" ON "topups" USING btree ("user_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "topups_unpaid" ON "topups" USING btree ("asked_at","id") WHERE "topups"."status" in ('pending', 'expired');--> statement-breakpoint
CREATE INDEX "topups_provider_ref" ON "topups" USING btree ("provider_ref") WHERE "topups"."provider_ref" <> '';--> statement-breakpoint
CREATE INDEX "topups_code" ON "topups" USING btree ("code") WHERE "topups"."code" <> '';