CREATE TABLE "custom_models" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "custom_models_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"supplier_id" bigint NOT NULL,
	"key_sealed" text NOT NULL,
	"key_hint" text NOT NULL,
	"key_base_url" text NOT NULL,
	"models" text[] DEFAULT '{}' NOT NULL,
	"balance" double precision,
	"balance_at" bigint DEFAULT 0 NOT NULL,
	"refused_at" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"updated_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	CONSTRAINT "custom_models_supplier" UNIQUE("user_id","supplier_id")
);
--> statement-breakpoint
CREATE TABLE "suppliers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "suppliers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"base_url" text NOT NULL,
	"private_allowed" boolean DEFAULT false NOT NULL,
	"type" integer DEFAULT 1 NOT NULL,
	"sdk" text DEFAULT 'openai' NOT NULL,
	"disable" boolean DEFAULT false NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"updated_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	CONSTRAINT "suppliers_sdk" CHECK ("suppliers"."sdk" in ('openai', 'claude'))
);
--> statement-breakpoint
ALTER TABLE "custom_models" ADD CONSTRAINT "custom_models_supplier_id_suppliers_id_fk" FOREIGN KEY ("supplier_id") REFERENCES "public"."suppliers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "suppliers_name" ON "suppliers" USING btree (lower("name"));