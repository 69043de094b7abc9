CREATE TABLE "quota_warnings" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"warned_at" bigint NOT NULL,
	"is_below" boolean NOT NULL
);
