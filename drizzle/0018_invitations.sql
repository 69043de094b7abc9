CREATE TABLE "invitations" (
	"invitee_id" bigint PRIMARY KEY NOT NULL,
	"inviter_id" bigint NOT NULL,
	"ref" uuid NOT NULL,
	"trigger" text NOT NULL,
	"special_code" text,
	"inviter_quota" bigint NOT NULL,
	"invitee_quota" bigint NOT NULL,
	"inviter_paid" bigint DEFAULT 0 NOT NULL,
	"invitee_paid" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"paid_at" bigint,
	CONSTRAINT "invitations_order" CHECK ("invitations"."inviter_id" < "invitations"."invitee_id"),
	CONSTRAINT "invitations_promised" CHECK ("invitations"."inviter_quota" >= 0 and "invitations"."invitee_quota" >= 0),
	CONSTRAINT "invitations_paid" CHECK ("invitations"."inviter_paid" between 0 and "invitations"."inviter_quota" and "invitations"."invitee_paid" between 0 and "invitations"."invitee_quota")
);
--> statement-breakpoint
CREATE INDEX "invitations_waiting" ON "invitations" USING btree ("trigger","invitee_id") WHERE "invitations"."paid_at" is null;--> statement-breakpoint
CREATE INDEX "invitations_special" ON "invitations" USING btree ("special_code") WHERE "invitations"."special_code" is not null;--> statement-breakpoint
CREATE INDEX "users_inviter" ON "users" USING btree ("inviter_id","id" DESC NULLS LAST) WHERE "users"."inviter_id" > 0;