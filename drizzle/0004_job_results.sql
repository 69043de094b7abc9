CREATE TABLE "job_results" (
	"job_id" text NOT NULL,
	"seq" integer NOT NULL,
	"ok" boolean NOT NULL,
	"detail" jsonb NOT NULL,
	CONSTRAINT "job_results_job_id_seq_pk" PRIMARY KEY("job_id","seq")
);
--> statement-breakpoint
ALTER TABLE "job_results" ADD CONSTRAINT "job_results_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_under_way" ON "jobs" USING btree ("name") WHERE "jobs"."state" in ('running', 'cancelling');