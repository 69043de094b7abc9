/** The processes of a run: starting, asking and stopping them. */
import { join } from 'node:path';
import type { Figures, Job } from './client.ts';

const here = import.meta.dir;
export const ROOT = join(here, '../..');
const HEAP_PRELOAD = join(here, 'heap.preload.ts');
const METRICS_TOKEN = 'let-the-benchmark-see';
/** Open streams and settlements end in this time, or something is wrong. */
const STOP_MS = 60_000;
const running: Bun.Subprocess[] = [];

export function stopAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

export interface Target {
  name: string;
  port: number;
  pid: number;
  /** Where it tells how much lives on its heap; absent of the servers that are not measured by it. */
  heapSocket?: string;
}

/** Starts one of the servers beside this file, which prints its port. */
export async function startServer(
  name: string,
  file: string,
  { args = [], heapSocket }: { args?: readonly string[]; heapSocket?: string } = {},
): Promise<Target> {
  const preload = heapSocket ? ['--preload', HEAP_PRELOAD] : [];
  const child = Bun.spawn([process.execPath, ...preload, join(here, file), ...args], {
    env: { ...process.env, ...(heapSocket ? { BENCH_HEAP_SOCKET: heapSocket } : {}) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  running.push(child);
  for await (const chunk of child.stdout) {
    return { name, port: Number(new TextDecoder().decode(chunk)), pid: child.pid, heapSocket };
  }
  throw new Error(`${file} did not start`);
}

/** The product in the folder `root` as an operator runs it, its log in a file. Resolves when it is ready. */
export async function startGateway(name: string, root: string, env: Record<string, string>): Promise<Target> {
  const dataDir = env.DATA_DIR ?? '';
  const heapSocket = join(dataDir, 'heap.sock');
  const log = Bun.file(join(dataDir, 'gateway.log'));
  const child = Bun.spawn([process.execPath, '--preload', HEAP_PRELOAD, join(root, 'src/main.ts')], {
    env: { ...env, METRICS_TOKEN, BENCH_HEAP_SOCKET: heapSocket },
    stdin: 'ignore',
    stdout: log,
    stderr: log,
  });
  running.push(child);
  const port = Number(env.PORT);
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`the gateway did not start:\n${await log.text()}`);
    await Bun.sleep(100);
  }
  return { name, port, pid: child.pid, heapSocket };
}

/** As an operator stops it: what is under way is settled first. */
export async function stopGateway({ name, pid }: Target): Promise<void> {
  const child = running.find((one) => one.pid === pid);
  child?.kill('SIGTERM');
  const isOver = await Promise.race([child?.exited.then(() => true), Bun.sleep(STOP_MS).then(() => false)]);
  if (!isOver) throw new Error(`${name} did not stop`);
}

/** Bytes that live once everything dead is gone. */
export interface Heap {
  all: number;
  /** Of these, what objects hold beside themselves: mostly buffers, of which untouched pages take no memory. */
  beside: number;
}

export async function liveHeap({ name, heapSocket }: Target): Promise<Heap> {
  if (!heapSocket) throw new Error(`${name} tells nothing of its heap`);
  return (await (await fetch('http://heap/', { unix: heapSocket })).json()) as Heap;
}

/** Samples of the gateway's metrics by name and labels. */
export async function metricsOf({ port }: Target): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  const lines = (await answer.text()).split('\n').filter((line) => !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** Fills the gateway's database with accounts; their relay keys, which stand in the last line: the log may stand before. */
export async function seedAccounts(
  root: string,
  count: number,
  env: Record<string, string>,
): Promise<string[]> {
  const bun = [process.execPath, join(root, 'scripts/benchmark/seed.ts'), String(count)];
  const lines = (await outputOf(bun, { env })).trimEnd().split('\n');
  return JSON.parse(lines.at(-1) ?? '') as string[];
}

/** What `./scripts/audit` says of a database that no gateway uses any more, and whether every unit is accounted for. */
export async function auditOf(env: Record<string, string>): Promise<{ isClean: boolean; text: string }> {
  const child = Bun.spawn([process.execPath, join(ROOT, 'scripts/audit.ts')], {
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const text = await new Response(child.stdout).text();
  return { isClean: (await child.exited) === 0, text: text.trimEnd() };
}

/** Lays out the product as it was at a commit, built and ready to start, in a new folder `to`. */
export async function layOut(commit: string, to: string): Promise<void> {
  await outputOf(['git', 'clone', '--quiet', '--shared', ROOT, to]);
  await outputOf(['git', 'checkout', '--quiet', '--detach', commit], { cwd: to });
  await outputOf([process.execPath, 'install', '--frozen-lockfile', '--silent'], { cwd: to });
  await outputOf([process.execPath, 'scripts/build.ts'], { cwd: to });
}

/** Runs a command to its end; its output. */
async function outputOf(
  command: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<string> {
  const child = Bun.spawn(command, {
    ...options,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
  return text;
}

/** A client of its own for each measurement. */
export async function load(job: Job): Promise<Figures> {
  const child = Bun.spawn([process.execPath, join(here, 'client.ts')], {
    stdin: new Blob([JSON.stringify(job)]),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the load client failed');
  // JSON has no word for what was not measured.
  return JSON.parse(text, (_, value) => value ?? Number.NaN) as Figures;
}
