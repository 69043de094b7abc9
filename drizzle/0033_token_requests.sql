CREATE TABLE "token_requests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "token_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"poll_hash" text NOT NULL,
	"code_hash" text NOT NULL,
	"state" smallint NOT NULL,
	"number" text NOT NULL,
	"name" text NOT NULL,
	"ip" text NOT NULL,
	"user_agent" text NOT NULL,
	"user_id" bigint DEFAULT 0 NOT NULL,
	"token_id" bigint DEFAULT 0 NOT NULL,
	"key_sealed" text DEFAULT '' NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "token_requests_poll" UNIQUE("poll_hash"),
	CONSTRAINT "token_requests_code" UNIQUE("code_hash")
);
--> statement-breakpoint
CREATE INDEX "token_requests_expiry" ON "token_requests" USING btree ("expires_at");