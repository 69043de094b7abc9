/** What Linux says that processes use. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU in hundredths of a second. */
const TICK_US = 10_000;

/** Microseconds of CPU, by name. */
export type CpuUs = ReadonlyMap<string, number>;

/** The numbers of a `stat` file behind the name, which stands in brackets and may hold anything. */
function statOf(path: string): { name: string; fields: string[] } | null {
  try {
    const stat = readFileSync(path, 'utf8');
    const end = stat.lastIndexOf(')');
    return { name: stat.slice(stat.indexOf('(') + 1, end), fields: stat.slice(end + 2).split(' ') };
  } catch {
    // It ended between two looks.
    return null;
  }
}

const sum = (fields: readonly string[]): number =>
  fields.reduce((total, field) => total + Number(field), 0) * TICK_US;

/** Microseconds of CPU that a process has used, and, of those of its children that ended, what they used. */
export const cpuUs = (pid: number): number => sum(statOf(`/proc/${pid}/stat`)?.fields.slice(11, 15) ?? []);

/** The process that started another one of such a name; undefined where there is none, here. */
export function parentOf(pid: number, name: string): number | undefined {
  const stat = statOf(`/proc/${pid}/stat`);
  return stat?.name === name ? Number(stat.fields[1]) : undefined;
}

const numbered = (folder: string): string[] => readdirSync(folder).filter((name) => /^\d+$/.test(name));

/** A process' CPU by the names of its threads; those that differ by a number count as one. */
export function cpuOfThreads(pid: number): CpuUs {
  const used = new Map<string, number>();
  for (const thread of numbered(`/proc/${pid}/task`)) {
    const stat = statOf(`/proc/${pid}/task/${thread}/stat`);
    if (stat) add(used, stat.name.replace(/[ -]?\d+$/, ''), sum(stat.fields.slice(11, 13)));
  }
  return used;
}

/** The CPU of Postgres by what its processes are there for: backends serve connections. */
export function cpuOfPostgres(postmaster: number): CpuUs {
  // Of children that ended the postmaster knows the sum.
  const used = new Map([['Postgres postmaster', cpuUs(postmaster)]]);
  for (const pid of numbered('/proc').map(Number)) {
    const stat = statOf(`/proc/${pid}/stat`);
    if (Number(stat?.fields[1]) === postmaster) add(used, `Postgres ${postgresKind(pid)}`, cpuUs(pid));
  }
  return used;
}

/** Postgres says in its title what a process does; those of connections name the user, the database and the address. */
function postgresKind(pid: number): string {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const kind =
      /^postgres: (?:.*: )?(checkpointer|background writer|walwriter|autovacuum [a-z]+|logical replication [a-z]+|stats collector|parallel worker)/.exec(
        title,
      );
    return kind?.[1] ?? 'backend';
  } catch {
    return 'ended';
  }
}

const add = (used: Map<string, number>, name: string, us: number): void => {
  used.set(name, (used.get(name) ?? 0) + us);
};

/** What was used between two looks. A process that ended in between counts nothing, not less than that. */
export const usedSince = (before: CpuUs, after: CpuUs): CpuUs =>
  new Map([...after].map(([name, us]) => [name, Math.max(us - (before.get(name) ?? 0), 0)]));

export const totalUs = (used: CpuUs): number => [...used.values()].reduce((total, us) => total + us, 0);

export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}
