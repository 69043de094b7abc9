CREATE TABLE "embed_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"grant_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "embed_sessions" ADD CONSTRAINT "embed_sessions_grant_id_oauth_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."oauth_grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "embed_sessions_grant" ON "embed_sessions" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "embed_sessions_expiry" ON "embed_sessions" USING btree ("expires_at");