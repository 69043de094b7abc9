/** Runs before every test file: a test that forgets its environment must fail, not reach for the developer's own servers. */
delete process.env.DATABASE_URL;
delete process.env.REDIS_URL;
