/** The process: reads its environment, opens what it needs, listens, and stops when told to. */
import { createApi } from './app.ts';
import { lockFolder } from './db/folder-lock.ts';
import { readEnv, StartError } from './env.ts';
import { openRuntime } from './runtime.ts';

async function start(): Promise<void> {
  const env = readEnv();
  await lockFolder(env.DATA_DIR);
  const runtime = await openRuntime(env, { migrate: true });
  const api = createApi(runtime);
  api.listen({ port: env.PORT, hostname: env.HOST, idleTimeout: 0 });
  runtime.log.info('listening', { host: env.HOST, port: env.PORT, database: runtime.db.engine });
}

start().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof StartError ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(1);
});
