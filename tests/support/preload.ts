/** Runs before every test file: a test that forgets its environment must fail, not reach for the developer's own servers. */
import { setDefaultTimeout } from 'bun:test';
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { TEST_MS } from './patience.ts';

setDefaultTimeout(TEST_MS);

delete process.env.DATABASE_URL;
delete process.env.REDIS_URL;

// Test files run side by side, and limits and codes of one worker's files must not count in another's.
const { BUN_TEST_WORKER_ID: worker, TEST_REDIS_URL: redis } = process.env;
if (worker && redis)
  process.env.TEST_REDIS_URL = Object.assign(new URL(redis), { pathname: `/${worker}` }).href;

// `./scripts/test` says in the end how many runs all properties had.
const { TEST_PROPERTY_RUNS: runsFile } = process.env;
if (runsFile) {
  fc.configureGlobal({
    reporter: (run) => {
      appendFileSync(runsFile, `${run.numRuns}\n`);
      if (run.failed) throw new Error(fc.defaultReportMessage(run), { cause: run.errorInstance });
    },
  });
}
