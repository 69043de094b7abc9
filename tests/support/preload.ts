/** Runs before every test file: a test that forgets its environment must fail, not reach for the developer's own servers. */
import { setDefaultTimeout } from 'bun:test';

delete process.env.DATABASE_URL;
delete process.env.REDIS_URL;

// Servers and browsers start in some tests, and a shared machine may be slow.
setDefaultTimeout(60_000);
