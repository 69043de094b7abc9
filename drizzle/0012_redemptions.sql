CREATE TABLE "redemptions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "redemptions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"ref" uuid NOT NULL,
	"name" text NOT NULL,
	"code_lookup" text NOT NULL,
	"code_sealed" text NOT NULL,
	"code_hint" text NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"quota" bigint NOT NULL,
	"created_by" bigint NOT NULL,
	"created_time" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"expired_time" bigint DEFAULT -1 NOT NULL,
	"used_user_id" bigint DEFAULT 0 NOT NULL,
	"used_time" bigint DEFAULT 0 NOT NULL,
	"deleted_at" bigint,
	CONSTRAINT "redemptions_quota" CHECK ("redemptions"."quota" between 1 and 9007199254740991)
);
--> statement-breakpoint
CREATE UNIQUE INDEX "redemptions_code" ON "redemptions" USING btree ("code_lookup");