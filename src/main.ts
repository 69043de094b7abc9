/** The process: reads its environment, takes its data folder, and serves, alone or through workers. */
import { lockFolder } from './db/folder-lock.ts';
import { type Env, readEnv, requireOutgoingCalls, StartError } from './env.ts';
import { runAlone } from './process/alone.ts';
import { runParent } from './process/parent.ts';
import { runWorker } from './process/worker.ts';

async function start(env: Env): Promise<void> {
  requireOutgoingCalls();
  const [role, bootId] = process.argv.slice(2);
  if (role === 'worker' && bootId) return runWorker(env, bootId);
  await lockFolder(env.DATA_DIR);
  return env.WORKERS > 1 ? runParent(env) : runAlone(env);
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
