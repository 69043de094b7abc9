/** Several processes as one server. The tests go on with one, in this order, from what the last has left of it. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { freshPostgresUrl } from '../support/database.ts';
import { type ConsoleClient, type Gateway, setUpRelay, startGateway } from '../support/gateway.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let gateway: Gateway;
let upstream: Upstream;
let root: ConsoleClient;
let key: string;
beforeAll(async () => {
  [gateway, upstream] = await Promise.all([
    startGateway({ databaseUrl: await freshPostgresUrl(), env: { WORKERS: '2' } }),
    startUpstream(),
  ]);
  ({ root, key } = await setUpRelay(gateway, upstream.base));
});
afterAll(async () => {
  await gateway.kill();
  await upstream.close();
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Polls what another process does; the deadline is the test's own. */
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await Bun.sleep(20);
};

/** Those that serve now. */
const workerPids = (): number[] =>
  gateway.logLines
    .filter((line) => line.event === 'listening')
    .map((line) => Number(line.pid))
    .filter(isAlive);
const bothServe = () => until(() => workerPids().length === 2);

it('serves on one port by as many processes as asked, and says that they share no codes', async () => {
  await bothServe();
  expect(new Set([gateway.pid, ...workerPids()]).size).toBe(3);
  // Somebody should know it before a code that was sent is refused.
  expect(gateway.logLines.find((line) => line.event === 'workers.no_redis')).toMatchObject({ workers: 2 });
  expect(await gateway.metric('tollgate_workers')).toBe(2);
});

/** Site names that many callers see. New connections spread over both workers; an open one would stay with its own. */
const namesSeen = async (callers: number): Promise<Set<string>> => {
  const names = Array.from({ length: callers }, async () => {
    const answer = await fetch(`${gateway.base}/api/status`, { headers: { connection: 'close' } });
    const { data } = (await answer.json()) as { data: { system_name: string } };
    return data.system_name;
  });
  return new Set(await Promise.all(names));
};

it('tells every process of a change', async () => {
  await root.setOption('SystemName', 'Two of us');
  await until(async () => {
    const names = await namesSeen(20);
    return names.size === 1 && names.has('Two of us');
  });
});

it('adds up what the processes counted', async () => {
  const before = await gateway.metric('tollgate_requests_total', { surface: 'api' });
  await namesSeen(40);
  expect(await gateway.metric('tollgate_requests_total', { surface: 'api' })).toBe(before + 40);
});

it('replaces a worker that was killed, and goes on serving meanwhile', async () => {
  const [doomed = 0] = workerPids();
  process.kill(doomed, 'SIGKILL');
  await until(() => !isAlive(doomed));
  await bothServe();
  expect((await fetch(`${gateway.base}/api/status`)).status).toBe(200);
  expect(await gateway.metric('tollgate_workers')).toBe(2);
  expect(await gateway.metric('tollgate_worker_restarts_total')).toBe(1);
  expect(gateway.logLines.find((line) => line.event === 'worker.lost')).toMatchObject({ signal: 'SIGKILL' });
});

it('gives back at once what a killed worker held, and leaves alone what the others hold', async () => {
  upstream.always = 'held';
  const calls = Array.from({ length: 30 }, () =>
    gateway.chat(key, {}, { headers: { authorization: `Bearer ${key}`, connection: 'close' } }).then(
      (answer) => answer.status,
      () => 'broken',
    ),
  );
  await upstream.until(() => upstream.heldNow === 30);
  expect(await gateway.metric('tollgate_database_reservations_open')).toBe(30);

  const [doomed = 0] = workerPids();
  process.kill(doomed, 'SIGKILL');
  // A caller who meets the dying worker is cut off and asks again.
  const orphans = () => gateway.metric('tollgate_database_reservations_orphaned').catch(() => 0);
  await until(async () => (await orphans()) > 0);
  await bothServe();
  const orphaned = await gateway.metric('tollgate_database_reservations_orphaned');
  expect(await gateway.metric('tollgate_database_reservations_open')).toBe(30 - orphaned);

  upstream.release();
  const ends = await Promise.all(calls);
  expect(ends.filter((end) => end === 'broken')).toHaveLength(orphaned);
  expect(ends.filter((end) => end === 200)).toHaveLength(30 - orphaned);
  expect(await gateway.metric('tollgate_database_reservations_open')).toBe(0);
});

it('stops them all, whose books are clean', async () => {
  const pids = workerPids();
  expect(pids).toHaveLength(2);
  expect(await gateway.stop()).toBe(0);
  expect(pids.map(isAlive)).toEqual([false, false]);
  expect(gateway.logLines.filter((line) => line.event === 'stopped')).toHaveLength(2);
  expect((await gateway.audit()).findings).toEqual([]);
});

it('leaves the stop to the parent when a terminal signals the whole group', async () => {
  gateway = await gateway.restart();
  await bothServe();
  for (const pid of [...workerPids(), gateway.pid]) process.kill(pid, 'SIGINT');
  expect(await gateway.exited).toBe(0);
  expect(gateway.logLines.filter((line) => line.event === 'stopped')).toHaveLength(2);
});

it('ends the workers with a parent that was killed', async () => {
  gateway = await gateway.restart();
  await bothServe();
  await gateway.kill();
  await until(() => workerPids().length === 0);
});
