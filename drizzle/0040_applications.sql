CREATE TABLE "applications" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "applications_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"display_name" text NOT NULL,
	"version" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"homepage" text DEFAULT '' NOT NULL,
	"dxt_url" text NOT NULL,
	"type" text DEFAULT 'conversation-tool' NOT NULL,
	"rank" integer DEFAULT 0 NOT NULL,
	"app_groups" text[] DEFAULT '{}' NOT NULL,
	"keywords" text[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "applications_name_unique" UNIQUE("name")
);
