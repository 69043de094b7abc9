CREATE TABLE "channel_quarters" (
	"quarter" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	"ok" bigint NOT NULL,
	"slow" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"answer_ms" bigint NOT NULL,
	CONSTRAINT "channel_quarters_quarter_channel_id_pk" PRIMARY KEY("quarter","channel_id")
);
