/** The usual case: one process that serves. */
import type { Env } from '../env.ts';
import { watchEngine } from './engine-watch.ts';
import { onUncaught } from './faults.ts';
import { serve } from './serve.ts';
import { exitAfter, onStopSignals } from './signals.ts';

export async function runAlone(env: Env): Promise<void> {
  const serving = await serve(env, { migrate: true, sharedPort: false });
  const stop = exitAfter(() => serving.stop());
  onUncaught(serving.runtime.log, () => stop(1));
  watchEngine(serving.runtime, () => stop(1));
  onStopSignals(
    () => stop(0),
    () => process.exit(1),
  );
  process.stderr.write(await serving.greeting());
}
