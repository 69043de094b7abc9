CREATE TABLE "hub_models" (
	"name" text PRIMARY KEY NOT NULL,
	"model_type" text[] DEFAULT '{}' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"multimodal" boolean DEFAULT false NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"max_token" bigint DEFAULT 0 NOT NULL,
	"hide" boolean DEFAULT false NOT NULL,
	"icon" text DEFAULT '' NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	"updated_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL
);
