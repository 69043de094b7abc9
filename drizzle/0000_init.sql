CREATE TABLE "access_tokens" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "access_tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"used_at" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "access_tokens_hash" UNIQUE("hash"),
	CONSTRAINT "access_tokens_user" UNIQUE("user_id")
);
--> statement-breakpoint
CREATE TABLE "admin_actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "admin_actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"actor_id" bigint NOT NULL,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"ip" text DEFAULT '' NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "identities_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"provider" text NOT NULL,
	"subject" text NOT NULL,
	"login_name" text DEFAULT '' NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	CONSTRAINT "identities_subject" UNIQUE("provider","subject"),
	CONSTRAINT "identities_user" UNIQUE("user_id","provider")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"seen_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"confirmed_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"ip" text DEFAULT '' NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"key_lookup" text NOT NULL,
	"key_sealed" text DEFAULT '' NOT NULL,
	"key_hint" text NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remain_quota" bigint DEFAULT 0 NOT NULL,
	"unlimited_quota" boolean DEFAULT false NOT NULL,
	"used_quota" bigint DEFAULT 0 NOT NULL,
	"expired_time" bigint DEFAULT -1 NOT NULL,
	"model_limits_enabled" boolean DEFAULT false NOT NULL,
	"model_limits" text[] DEFAULT '{}' NOT NULL,
	"allow_ips" text[] DEFAULT '{}' NOT NULL,
	"group_name" text DEFAULT '' NOT NULL,
	"created_time" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"accessed_time" bigint DEFAULT 0 NOT NULL,
	"deleted_at" bigint,
	CONSTRAINT "tokens_lookup" UNIQUE("key_lookup"),
	CONSTRAINT "tokens_remain" CHECK ("tokens"."unlimited_quota" or "tokens"."remain_quota" between 0 and 9007199254740991),
	CONSTRAINT "tokens_used" CHECK ("tokens"."used_quota" between 0 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"username" text NOT NULL,
	"password_hash" text,
	"display_name" text DEFAULT '' NOT NULL,
	"role" smallint DEFAULT 1 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	"phone" text DEFAULT '' NOT NULL,
	"group_name" text DEFAULT 'default' NOT NULL,
	"remarks" text DEFAULT '' NOT NULL,
	"language" text DEFAULT '' NOT NULL,
	"quota" bigint DEFAULT 0 NOT NULL,
	"reserved" bigint DEFAULT 0 NOT NULL,
	"used_quota" bigint DEFAULT 0 NOT NULL,
	"request_count" bigint DEFAULT 0 NOT NULL,
	"aff_code" text NOT NULL,
	"aff_count" bigint DEFAULT 0 NOT NULL,
	"aff_quota" bigint DEFAULT 0 NOT NULL,
	"aff_history_quota" bigint DEFAULT 0 NOT NULL,
	"inviter_id" bigint DEFAULT 0 NOT NULL,
	"setting" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"login_at" bigint DEFAULT 0 NOT NULL,
	"login_ip" text DEFAULT '' NOT NULL,
	"deleted_at" bigint,
	CONSTRAINT "users_quota" CHECK ("users"."quota" between 0 and 9007199254740991),
	CONSTRAINT "users_reserved" CHECK ("users"."reserved" between 0 and 9007199254740991),
	CONSTRAINT "users_used" CHECK ("users"."used_quota" between 0 and 9007199254740991),
	CONSTRAINT "users_aff_quota" CHECK ("users"."aff_quota" between 0 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "abilities" (
	"group_name" text NOT NULL,
	"model_name" text NOT NULL,
	"channel_id" bigint NOT NULL,
	"enabled" boolean NOT NULL,
	"priority" bigint NOT NULL,
	"weight" bigint NOT NULL,
	"tag" text DEFAULT '' NOT NULL,
	CONSTRAINT "abilities_group_name_model_name_channel_id_pk" PRIMARY KEY("group_name","model_name","channel_id")
);
--> statement-breakpoint
CREATE TABLE "channel_keys" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "channel_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"sealed" text NOT NULL,
	"hint" text NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"disabled_at" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "channel_keys_position" UNIQUE("channel_id","position")
);
--> statement-breakpoint
CREATE TABLE "channels" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "channels_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" integer NOT NULL,
	"name" text NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"openai_organization" text DEFAULT '' NOT NULL,
	"max_input_tokens" bigint DEFAULT 0 NOT NULL,
	"base_url" text DEFAULT '' NOT NULL,
	"other" text DEFAULT '' NOT NULL,
	"models" text[] DEFAULT '{}' NOT NULL,
	"groups" text[] DEFAULT '{"default"}' NOT NULL,
	"model_mapping" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"status_code_mapping" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"setting" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"param_override" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"auto_ban" smallint DEFAULT 1 NOT NULL,
	"test_model" text DEFAULT '' NOT NULL,
	"priority" bigint DEFAULT 0 NOT NULL,
	"weight" bigint DEFAULT 0 NOT NULL,
	"tag" text DEFAULT '' NOT NULL,
	"other_info" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"response_time" bigint DEFAULT 0 NOT NULL,
	"test_time" bigint DEFAULT 0 NOT NULL,
	"balance" double precision DEFAULT 0 NOT NULL,
	"balance_updated_time" bigint DEFAULT 0 NOT NULL,
	"used_quota" bigint DEFAULT 0 NOT NULL,
	"expired_time" bigint DEFAULT -1 NOT NULL,
	"created_time" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"updated_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	CONSTRAINT "channels_weight" CHECK ("channels"."weight" >= 0),
	CONSTRAINT "channels_used" CHECK ("channels"."used_quota" between 0 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"ref" uuid NOT NULL,
	"kind" smallint NOT NULL,
	"user_id" bigint NOT NULL,
	"delta" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"note" text,
	CONSTRAINT "ledger_ref_kind_pk" PRIMARY KEY("ref","kind")
);
--> statement-breakpoint
CREATE TABLE "reservations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"owner" text NOT NULL,
	"created_at" bigint NOT NULL,
	"orphaned_at" bigint,
	CONSTRAINT "reservations_amount" CHECK ("reservations"."amount" between 0 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "usage_hourly" (
	"hour" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"model_name" text NOT NULL,
	"group_name" text NOT NULL,
	"calls" bigint NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"quota" bigint NOT NULL,
	CONSTRAINT "usage_hourly_hour_user_id_token_id_channel_id_model_name_group_name_pk" PRIMARY KEY("hour","user_id","token_id","channel_id","model_name","group_name")
);
--> statement-breakpoint
CREATE TABLE "instances" (
	"boot_id" text PRIMARY KEY NOT NULL,
	"host_id" text NOT NULL,
	"seen_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"state" text NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"updated_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"until" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "meta" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "options" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"updated_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "versions" (
	"name" text PRIMARY KEY NOT NULL,
	"n" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "abilities" ADD CONSTRAINT "abilities_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_keys" ADD CONSTRAINT "channel_keys_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "admin_actions_time" ON "admin_actions" USING btree ("created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tokens_user" ON "tokens" USING btree ("user_id","id" DESC NULLS LAST) WHERE "tokens"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_username" ON "users" USING btree (lower("username"));--> statement-breakpoint
CREATE UNIQUE INDEX "users_aff_code" ON "users" USING btree ("aff_code");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email")) WHERE "users"."email" <> '' and "users"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_phone" ON "users" USING btree ("phone") WHERE "users"."phone" <> '' and "users"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_one_root" ON "users" USING btree ("role") WHERE "users"."role" = 100;--> statement-breakpoint
CREATE INDEX "abilities_channel" ON "abilities" USING btree ("channel_id");--> statement-breakpoint
CREATE INDEX "channels_tag" ON "channels" USING btree ("tag") WHERE "channels"."tag" <> '';--> statement-breakpoint
CREATE INDEX "ledger_user" ON "ledger" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "reservations_owner" ON "reservations" USING btree ("owner") WHERE "reservations"."orphaned_at" is null;--> statement-breakpoint
CREATE INDEX "usage_hourly_user" ON "usage_hourly" USING btree ("user_id","hour" DESC NULLS LAST);