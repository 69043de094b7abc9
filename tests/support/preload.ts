/** Runs before every test file: a test that forgets its environment must fail, not reach for the developer's own servers. */
import { setDefaultTimeout } from 'bun:test';

delete process.env.DATABASE_URL;
delete process.env.REDIS_URL;

// Five seconds, Bun's own, are short for a first database on a busy machine; bunfig.toml knows no such setting.
setDefaultTimeout(30_000);
