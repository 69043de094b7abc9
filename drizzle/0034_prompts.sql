CREATE TABLE "prompts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"title" text DEFAULT '' NOT NULL,
	"mcp" text[] DEFAULT '{}' NOT NULL,
	"instruction" text NOT NULL,
	"version" text DEFAULT '' NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"platform" text[] DEFAULT '{}' NOT NULL,
	"release" boolean DEFAULT false NOT NULL,
	"facets" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"result_link" text DEFAULT '' NOT NULL
);
