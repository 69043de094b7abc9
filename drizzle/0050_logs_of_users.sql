-- Filters and sums of a user's rows are answered by the index alone: he has one row on each page of a busy site's table.
DROP INDEX "logs_user";--> statement-breakpoint
CREATE INDEX "logs_user" ON "logs" ("user_id", "created_at" DESC, "id" DESC)
  INCLUDE ("type", "token_id", "channel_id", "token_name", "model_name", "group_name", "quota", "prompt_tokens", "completion_tokens", "use_time");--> statement-breakpoint
-- Which holds for pages that were vacuumed since they were written: months that come are made like this (`src/db/partitions.ts`).
DO $$
DECLARE month regclass;
BEGIN
  FOR month IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'logs'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000)', month);
  END LOOP;
END $$;
