/**
 * The pool of worker processes of one parent: starts them, knows who lives, replaces who dies. A new worker's boot id is
 * known to every other worker before its process starts, or they would take its first reservations for a dead process's.
 */
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { StartError } from '../env.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics, MetricsSnapshot } from '../platform/metrics.ts';
import { Line } from './ipc.ts';

const MAIN = join(import.meta.dir, '../main.ts');

/** A worker that does not answer for this long hangs; the others do not wait for it. */
const ANSWER_MS = 2_000;
/** What a lost worker has left is taken over once all others know of it; who takes longer holds that up no more. */
const KNOWN_MS = 30_000;

/** One that dies again and again is replaced ever later; one that lived for a minute was well. */
const DELAY_FIRST_MS = 100;
const DELAY_MOST_MS = 10_000;
const WELL_AFTER_MS = 60_000;

interface Worker {
  bootId: string;
  child: Subprocess;
  line: Line;
  startedAt: number;
  /** It has asked who lives, so from now on it must be told of changes. */
  informed: boolean;
}

export class WorkerPool {
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #workers = new Map<number, Worker>();
  readonly #living = new Set<string>();
  #ending = false;

  constructor(log: Logger, metrics: Metrics) {
    this.#log = log;
    this.#metrics = metrics;
    metrics.gauge('tollgate_workers', 'Worker processes alive.', () => this.#workers.size);
  }

  /** Resolves when the worker listens; throws StartError when it dies before. Only a worker that has listened is replaced. */
  async start(index: number): Promise<void> {
    await this.#spawn(index, DELAY_FIRST_MS);
  }

  /** What parent and workers measured. */
  async snapshots(): Promise<MetricsSnapshot[]> {
    const answers = await Promise.all(
      [...this.#workers.values()].map(({ line }) => line.ask('snapshot', ANSWER_MS)),
    );
    return [this.#metrics.snapshot(), ...(answers.filter(Boolean) as MetricsSnapshot[])];
  }

  /** The words for the terminal, as a worker that reaches the database knows them. */
  async greeting(): Promise<string> {
    const [worker] = this.#workers.values();
    return String((await worker?.line.ask('greeting', ANSWER_MS)) ?? '');
  }

  /** Has every worker stop by itself; throws when one did not end well. */
  async stop(): Promise<void> {
    this.#ending = true;
    const workers = [...this.#workers.values()];
    for (const { line } of workers) line.tell('stop');
    const codes = await Promise.all(workers.map(({ child }) => child.exited));
    if (codes.some((code) => code !== 0)) throw new Error(`workers ended with ${codes}`);
  }

  kill(): void {
    this.#ending = true;
    for (const { child } of this.#workers.values()) child.kill('SIGKILL');
  }

  async #spawn(index: number, delayMs: number): Promise<void> {
    const bootId = crypto.randomUUID();
    this.#living.add(bootId);
    await this.#tellLiving();
    if (this.#ending) return;

    const listening = Promise.withResolvers<void>();
    let hasListened = false;
    const line: Line = new Line((message) => {
      if (child.exitCode === null && child.signalCode === null) child.send(message);
    });
    const child: Subprocess = Bun.spawn([process.execPath, MAIN, 'worker', bootId], {
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
      serialization: 'json',
      ipc: (message) => line.receive(message),
    });
    const worker: Worker = { bootId, child, line, startedAt: performance.now(), informed: false };
    this.#workers.set(index, worker);

    line.onAsk('living', () => {
      worker.informed = true;
      return [...this.#living];
    });
    line.onAsk('snapshots', () => this.snapshots());
    line.onTell('listening', () => {
      hasListened = true;
      listening.resolve();
    });
    void child.exited.then(() => {
      this.#workers.delete(index);
      this.#living.delete(bootId);
      listening.reject(new StartError('A worker could not start; what it said stands above.'));
      const wasTried = hasListened || delayMs > DELAY_FIRST_MS;
      if (!this.#ending && wasTried) this.#replace(index, worker, delayMs);
    });
    await listening.promise;
  }

  #replace(index: number, { child, startedAt }: Worker, delayMs: number): void {
    const wasWell = performance.now() - startedAt > WELL_AFTER_MS;
    const waitMs = wasWell ? DELAY_FIRST_MS : delayMs;
    const { pid, exitCode, signalCode } = child;
    this.#log.error('worker.lost', { index, pid, exit_code: exitCode, signal: signalCode, wait_ms: waitMs });
    this.#metrics.count('tollgate_worker_restarts_total', 'Workers replaced because they died.');
    void this.#recover();
    setTimeout(() => {
      if (this.#ending) return;
      // Its end, should it come again, is seen above.
      this.#spawn(index, Math.min(waitMs * 2, DELAY_MOST_MS)).catch(() => undefined);
    }, waitMs);
  }

  /** One that lives settles what the lost one left on disk and gives its reservations back. */
  async #recover(): Promise<void> {
    await this.#tellLiving();
    const [heir] = this.#workers.values();
    heir?.line.tell('recover');
  }

  async #tellLiving(): Promise<void> {
    const living = [...this.#living];
    const informed = [...this.#workers.values()].filter((worker) => worker.informed);
    await Promise.all(
      informed.map(({ line, child }) => Promise.race([line.ask('living', KNOWN_MS, living), child.exited])),
    );
  }
}
