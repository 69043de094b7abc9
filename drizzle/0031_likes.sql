CREATE TABLE "task_likes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "task_likes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"task_id" text NOT NULL,
	"title" text NOT NULL,
	"mark" smallint NOT NULL,
	"note" text NOT NULL,
	"task" text NOT NULL,
	"created_at" bigint DEFAULT extract(epoch from now())::bigint NOT NULL,
	CONSTRAINT "task_likes_mark" CHECK ("task_likes"."mark" in (1, 2))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "task_likes_task" ON "task_likes" USING btree ("user_id","task_id");--> statement-breakpoint
CREATE INDEX "task_likes_time" ON "task_likes" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST);