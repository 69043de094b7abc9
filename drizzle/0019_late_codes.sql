ALTER TABLE "topups" ADD COLUMN "full_money" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "topups" ADD COLUMN "code_lapsed" boolean DEFAULT false NOT NULL;