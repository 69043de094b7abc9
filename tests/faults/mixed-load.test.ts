/**
 * Everything at once, as on a busy site: calls of all kinds to two processes on one database, bans, edits of quota, keys,
 * prices and channels, gifts, an upstream that fails, processes that are killed or stopped, and a database that drops its
 * connections. In the end the books hold, and agree with what each caller was told.
 */
import { expect } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import { MOVEMENT } from '../../src/billing/ledger.ts';
import type { Database } from '../../src/db/client.ts';
import { Dice } from '../support/dice.ts';
import { inLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { DONE } from '../support/suno-server.ts';
import { Callers } from './mixed-callers.ts';
import { type MixedSite, openMixedSite } from './mixed-site.ts';
import { Story } from './mixed-story.ts';

/**
 * Ten minutes are some twenty deaths, of each process and kind some, and each of them is found by what comes around by itself
 * only now and then: recovery every half minute, its lease of a minute, tasks that are asked after again and again. What
 * each death alone may do is proven point by point beside this file, in every run; so that this one is long, or not at all.
 */
const RUN_SEC = Number(process.env.TEST_LOAD_SECONDS ?? 600);
/** Leases of dead processes are over by then, and all tasks asked after. */
const SETTLED_MS = patience(180_000);
const SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);

/** What the books say of a call. */
interface Billed {
  id: string;
  /** Rows of the log and of the ledger. */
  logged: number;
  moved: number;
  told: number;
  paid: number;
}

inLong.it(
  'bears ten minutes of calls, edits and deaths, and charges what was answered, once',
  async () => {
    console.log(`mixed load: TEST_SEED=${SEED} TEST_LOAD_SECONDS=${RUN_SEC}`);
    const site = await openMixedSite();
    try {
      const callers = new Callers(site, new Dice(SEED));
      const story = new Story(site, callers, new Dice(SEED + 1));
      await loaded(site, callers, story);
      const billed = await recovered(site);
      print(callers, story, billed);
      expectToldTruth(callers, billed);
      expectAllOfIt(callers, story);
    } finally {
      await site.close();
    }
  },
  RUN_SEC * 1_000 + SETTLED_MS + patience(300_000),
);

/** Until the time is over; then one process stops under the load, and the other is killed. */
async function loaded({ hosts }: MixedSite, callers: Callers, story: Story): Promise<void> {
  let isOver = false;
  const untilMs = performance.now() + RUN_SEC * 1_000;
  const people = story.people(() => isOver);
  const calling = callers.run(() => isOver);
  try {
    await story.deaths(untilMs);
    const [first, ...others] = hosts;
    for (const host of others) await story.kill(host);
    if (first) story.exits.push(await first.gateway.stop());
  } finally {
    isOver = true;
    await Promise.all([people, calling]);
  }
}

/** New processes find what the old ones left; what the books say when nothing is open any more. */
async function recovered({ hosts, suno }: MixedSite): Promise<Billed[]> {
  suno.tell(DONE);
  await Promise.all(hosts.map((host) => host.restart()));
  const [host] = hosts;
  if (!host) throw new Error('there is no host');
  return host.gateway.withDatabase(async (db) => {
    const end = performance.now() + SETTLED_MS;
    while ((await openOf(db)) > 0) {
      if (performance.now() > end) throw new Error(`${await openOf(db)} calls and tasks stay open`);
      await Bun.sleep(200);
    }
    for (const { gateway } of hosts) expect(await gateway.stop()).toBe(0);
    const report = await audit(db);
    expect(report.findings).toEqual([]);
    expect(report.openReservations).toBe(0);
    expect(await db.query('select id, quota, reserved from users where quota < 0 or reserved <> 0')).toEqual(
      [],
    );
    return billedOf(db);
  });
}

/** Calls that hold quota, and tasks that are under way or have something to give back. */
async function openOf(db: Database): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select (select count(*) from reservations where orphaned_at is null)
       + (select count(*) from tasks where status not in ('SUCCESS', 'FAILURE') or refund = 1) as n`,
  );
  return Number(row?.n);
}

const billedOf = (db: Database): Promise<Billed[]> =>
  db.query<Billed>(
    `select id, coalesce(l.rows, 0)::int as logged, coalesce(m.rows, 0)::int as moved,
       coalesce(l.quota, 0)::bigint as told, coalesce(m.quota, 0)::bigint as paid
     from (
       select request_id::text as id, count(*) as rows, sum(quota) as quota from logs where type = 2 group by 1
     ) l full join (
       select ref::text as id, count(*) as rows, -sum(delta) as quota from ledger
       where kind = ${MOVEMENT.charge} group by 1
     ) m using (id)`,
  );

function expectToldTruth(callers: Callers, billed: readonly Billed[]): void {
  const paid = new Map(billed.map((one) => [one.id, one.paid]));
  expect(
    billed.filter(({ logged, moved, told, paid }) => logged !== 1 || moved !== 1 || told !== paid),
  ).toEqual([]);
  // Who had his answer to its end has paid for it, once, and what he was told.
  expect([...callers.answered].filter(([id, cost]) => cost === null || paid.get(id) !== cost)).toEqual([]);
  // Who was refused has paid nothing.
  expect([...callers.uncharged].filter((id) => paid.has(id))).toEqual([]);
  // Nobody has paid for a call that nobody made.
  expect(billed.filter(({ id }) => !callers.heard.has(id)).length).toBeLessThanOrEqual(callers.unheard);
  expect(callers.servedThough).toEqual([]);
}

/** Of everything that was to happen something has. */
function expectAllOfIt(callers: Callers, story: Story): void {
  expect(callers.answered.size).toBeGreaterThan(10 * RUN_SEC);
  expect(callers.left).toBeGreaterThan(0);
  expect(callers.brokenOff).toBeGreaterThan(0);
  expect(callers.refusals.get(403)).toBeGreaterThan(0);
  expect(story.killed).toBeGreaterThan(1);
  expect(story.exits.filter((code) => code !== 0)).toEqual([]);
  if (RUN_SEC >= 600) expect(story.cuts).toBeGreaterThan(1);
}

function print(callers: Callers, story: Story, billed: readonly Billed[]): void {
  const { begun, answered, left, brokenOff, unheard, unreached } = callers;
  const counts = (map: ReadonlyMap<string | number, number>) =>
    [...map]
      .sort()
      .map(([name, n]) => `${n} ${name}`)
      .join(', ');
  console.log(
    `${begun} calls: ${answered.size} answered, ${left} left, ${brokenOff} broken off, ${unheard} unheard, ` +
      `${unreached} unreached; refused: ${counts(callers.refusals)}; ${billed.length} billed, ` +
      `${billed.filter(({ id }) => !answered.has(id)).length} of them without the answer's end`,
  );
  console.log(
    `${story.killed} killed, ${story.exits.length} stopped, ${story.cuts} times all connections dropped; ` +
      `${counts(story.done)}; ${story.undone} acts refused or unanswered`,
  );
}
