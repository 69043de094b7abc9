/** The processes of a run, and what Linux says that they use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures, Job } from './client.ts';

const here = import.meta.dir;
export const ROOT = join(here, '../..');
const running: Bun.Subprocess[] = [];

export function stopAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

export interface Target {
  name: string;
  port: number;
  pid: number;
}

/** Starts one of the servers beside this file, which prints its port. */
export async function startServer(name: string, file: string, args: readonly string[] = []): Promise<Target> {
  const child = Bun.spawn([process.execPath, join(here, file), ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  running.push(child);
  for await (const chunk of child.stdout) {
    return { name, port: Number(new TextDecoder().decode(chunk)), pid: child.pid };
  }
  throw new Error(`${file} did not start`);
}

/** The product in the folder `root` as an operator runs it, its log in a file. Resolves when it is ready. */
export async function startGateway(name: string, root: string, env: Record<string, string>): Promise<Target> {
  const dataDir = env.DATA_DIR ?? '';
  const log = Bun.file(join(dataDir, 'gateway.log'));
  const child = Bun.spawn([process.execPath, join(root, 'src/main.ts')], {
    env,
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
  return { name, port, pid: child.pid };
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
  return JSON.parse(text) as Figures;
}

/** Linux counts CPU in hundredths of a second. */
const TICK_US = 10_000;

/** Microseconds of CPU that a process has used, and, of those of its children that ended, what they used. */
export function cpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; what follows it is numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
  return ((user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0)) * TICK_US;
}

/** The same for a process and its living children, as Postgres has one a connection. */
export function familyCpuUs(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(Number(name)) === pid);
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + cpuUs(one), 0);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}
