/**
 * What a stream takes of a server's memory. All streams have said all but their end and stand open while it is looked, so
 * that neither their pace nor what the machine else does moves the figures.
 */
import { residentBytes } from './linux.ts';
import { liveHeap, load, type Target } from './processes.ts';
import type { Asked } from './stage.ts';
import type { CallerDialect } from './workload.ts';

/** Bytes a stream, of each round. */
export interface StreamMemory {
  /** What lives on the heap. */
  live: number[];
  /** Of that, what are no objects but buffers and the like beside them. */
  beside: number[];
  /** By how much the process grows, after a first run has filled the pools that stay. */
  resident: number[];
  /** The same in the first run. */
  coldResident: number;
}

interface Look {
  live: number;
  beside: number;
  resident: number;
}

const LOOK_EVERY_MS = 50;
const HELD_MS = 60_000;

export async function measureMemory(
  mock: Target,
  asked: Asked,
  { streams, rounds, dialect }: { streams: number; rounds: number; dialect?: CallerDialect },
): Promise<StreamMemory> {
  const look = () => lookAtOpen(mock, asked, streams, dialect);
  const cold = await look();
  const warm: Look[] = [];
  for (let round = 0; round < rounds; round++) warm.push(await look());
  return {
    live: warm.map(({ live }) => live),
    beside: warm.map(({ beside }) => beside),
    resident: warm.map(({ resident }) => resident),
    coldResident: cold.resident,
  };
}

async function lookAtOpen(
  mock: Target,
  { target, keys }: Asked,
  streams: number,
  dialect: CallerDialect | undefined,
): Promise<Look> {
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${mock.port}${path}`)).text();
  // Asking for the heap collects it: what is left of earlier calls is in neither figure.
  const idle = { ...(await liveHeap(target)), resident: residentBytes(target.pid) };
  let most = idle.resident;
  const watch = () => {
    most = Math.max(most, residentBytes(target.pid));
  };
  await ask('/hold');
  const loaded = load({
    port: target.port,
    kind: 'streams',
    connections: streams,
    seconds: 0,
    keys,
    dialect,
  });
  const until = performance.now() + HELD_MS;
  for (let held = 0; held < streams; held = Number(await ask('/held'))) {
    if (performance.now() > until) throw new Error(`${held} of ${streams} streams came to their end`);
    watch();
    await Bun.sleep(LOOK_EVERY_MS);
  }
  watch();
  const live = await liveHeap(target);
  await ask('/release');
  const { failed } = await loaded;
  if (failed > 0) throw new Error(`${failed} of ${streams} streams failed`);
  return {
    live: (live.all - idle.all) / streams,
    beside: (live.beside - idle.beside) / streams,
    resident: (most - idle.resident) / streams,
  };
}
