ALTER TABLE "users" ADD COLUMN "erased_at" bigint;--> statement-breakpoint
CREATE INDEX "admin_actions_actor" ON "admin_actions" USING btree ("actor_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "admin_actions_target" ON "admin_actions" USING btree ("target","id" DESC NULLS LAST);