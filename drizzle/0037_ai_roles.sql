CREATE TABLE "ai_roles" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ai_roles_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"role_name" text NOT NULL,
	"role" text NOT NULL,
	"type" text DEFAULT '0' NOT NULL,
	"quota" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "ai_roles_quota" CHECK ("ai_roles"."quota" between 0 and 9007199254740991)
);
