/** One of several processes on a port. It takes its stop from the parent and ends with it: the parent holds the folder. */
import { z } from 'zod';
import type { Env } from '../env.ts';
import type { MetricsSnapshot } from '../platform/metrics.ts';
import { onUncaught } from './faults.ts';
import { Line } from './ipc.ts';
import { serve } from './serve.ts';
import { exitAfter, ignoreStopSignals } from './signals.ts';

/** Longer than the parent waits for another worker, whose answer may be part of its own. */
const ANSWER_MS = 5_000;

const bootIds = z.array(z.string());

export async function runWorker(env: Env, bootId: string): Promise<void> {
  ignoreStopSignals();
  const line = new Line((message) => process.send?.(message));
  process.on('message', (message) => line.receive(message));
  // Without the parent this folder is unlocked, and the next server takes our reservations for a dead process's.
  process.on('disconnect', () => process.exit(1));

  let stop = (code: number): void => process.exit(code);
  line.onTell('stop', () => stop(0));
  let livingBoots: readonly string[] = [];
  line.onAsk('living', (value) => {
    livingBoots = bootIds.parse(value);
    return true;
  });
  livingBoots = bootIds.parse(await line.ask('living', ANSWER_MS));

  const serving = await serve(env, {
    migrate: false,
    identity: { bootId, livingBoots: () => livingBoots },
    sharedPort: true,
    snapshots: async () => ((await line.ask('snapshots', ANSWER_MS)) ?? []) as MetricsSnapshot[],
  });
  const { runtime } = serving;
  stop = exitAfter(() => serving.stop());
  onUncaught(runtime.log, () => stop(1));
  line.onAsk('snapshot', () => runtime.metrics.snapshot());
  line.onAsk('greeting', () => serving.greeting());
  line.onTell('recover', () => {
    runtime.recover().catch((error: unknown) => runtime.log.warn('billing.recovery', { error }));
  });
  line.tell('listening');
}
