/**
 * The process: reads its environment, takes its data folder, and serves, alone or through workers. It loads only what it
 * does: most of the code is for who serves, and a parent, or a start that is refused, would keep or await it for nothing.
 */
import { lockFolder } from './db/folder-lock.ts';
import { type Env, readEnv, requireOutgoingCalls, StartError } from './env.ts';

async function start(env: Env): Promise<void> {
  requireOutgoingCalls();
  const [role, bootId] = process.argv.slice(2);
  if (role === 'worker' && bootId) {
    const { runWorker } = await import('./process/worker.ts');
    return runWorker(env, bootId);
  }
  await lockFolder(env.DATA_DIR);
  if (env.WORKERS > 1) {
    const { runParent } = await import('./process/parent.ts');
    return runParent(env);
  }
  const { runAlone } = await import('./process/alone.ts');
  return runAlone(env);
}

async function main(): Promise<void> {
  try {
    await start(readEnv());
  } catch (error) {
    const text = error instanceof StartError ? error.message : error instanceof Error ? error.stack : error;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
}

await main();
