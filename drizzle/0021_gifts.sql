CREATE TABLE "gift_days" (
	"day" bigint PRIMARY KEY NOT NULL,
	"quota" bigint NOT NULL,
	"told" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gift_marks" (
	"proof" text NOT NULL,
	"gift" smallint NOT NULL,
	"given_at" bigint NOT NULL,
	CONSTRAINT "gift_marks_proof_gift_pk" PRIMARY KEY("proof","gift")
);
--> statement-breakpoint
CREATE INDEX "gift_marks_time" ON "gift_marks" USING btree ("given_at");