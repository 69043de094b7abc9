CREATE TABLE "rewards" (
	"ref" uuid NOT NULL,
	"kind" smallint NOT NULL,
	"user_id" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"cause_id" bigint,
	"created_at" bigint NOT NULL,
	"note" text,
	CONSTRAINT "rewards_ref_kind_pk" PRIMARY KEY("ref","kind"),
	CONSTRAINT "rewards_amount" CHECK ("rewards"."amount" between -9007199254740991 and 9007199254740991),
	CONSTRAINT "rewards_cause" CHECK (("rewards"."amount" > 0) = ("rewards"."cause_id" is not null) and "rewards"."amount" <> 0)
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "activity_quota" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "activity_history_quota" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "rewards_invited" ON "rewards" USING btree ("cause_id") WHERE "rewards"."kind" = 1;--> statement-breakpoint
CREATE UNIQUE INDEX "rewards_activity" ON "rewards" USING btree ("cause_id","user_id") WHERE "rewards"."kind" = 2;--> statement-breakpoint
CREATE INDEX "rewards_user" ON "rewards" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_activity_quota" CHECK ("users"."activity_quota" between 0 and 9007199254740991);