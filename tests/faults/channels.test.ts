/** Three channels fail, each in its way, beside one that is well: callers notice little, and what heals comes back. */
import { afterEach, beforeEach, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import type { Alert } from '../../src/modules/alert/service.ts';
import { CircuitBreakers } from '../../src/relay/choose/circuit-breaker.ts';
import { freePort } from '../support/gateway.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const SECOND = 1_000;
/** How long a channel that never answers is waited for. The others have no such deadline: a busy machine is no fault. */
const CALL_MS = 500;

let relay: TestRelay;
let upstreams: Upstream[];
let alerts: Alert[];
let now: number;
let later: { work: () => void; at: number }[];
/** Tests of the relay's own, under way or over. */
let tests: Promise<unknown>[];

beforeEach(async () => {
  relay = await openTestRelay();
  upstreams = [];
  alerts = [];
  now = 0;
  later = [];
  const { probe, onBroken } = relay.api.deps.relay.breakers;
  const breakers = new CircuitBreakers({
    clock: () => now,
    random: () => 0.5,
    later: (work, ms) => later.push({ work, at: now + ms }),
  });
  tests = [];
  breakers.probe = (candidate, model) => {
    if (!probe) throw new Error('the relay probes nothing');
    const test = probe(candidate, model);
    tests.push(test);
    return test;
  };
  breakers.onBroken = onBroken;
  relay.api.deps.relay.breakers = breakers;
  relay.api.deps.relay.alerts.send = (alert) => void alerts.push(alert);
  await relay.set({ AutomaticDisableChannelEnabled: true, ChannelDisableThreshold: 0.05 });
});
afterEach(async () => {
  for (const upstream of upstreams) await upstream.close();
  await relay.close();
});

const setting = JSON.stringify({ total_timeout: CALL_MS / 1_000, first_content_timeout: CALL_MS / 1_000 });

async function addUpstream(
  name: string,
  behaviour: Upstream['always'],
  more: JsonObject = {},
): Promise<[Upstream, number]> {
  const upstream = await startUpstream();
  upstream.always = behaviour;
  upstreams.push(upstream);
  return [upstream, await relay.addChannel({ name, base_url: upstream.base, ...more })];
}

/** So many calls, one after the other; how many failed. */
async function calls(count: number): Promise<number> {
  let failed = 0;
  for (let n = 0; n < count; n++) {
    const answer = await relay.chat({ stream: n % 2 === 1 });
    await answer.text();
    if (!answer.ok) failed++;
  }
  return failed;
}

/** What callers asked it for, without tests of the relay's own. */
const asked = ({ chats }: Upstream) => chats.filter(({ body }) => body.max_tokens !== 10);

/** Until it has failed so often that its breaker would open, and a test has said so too. */
async function breakOpen(sick: Upstream): Promise<void> {
  while (asked(sick).length < 5) await calls(1);
  await Promise.all(tests);
}

const statusOf = async (id: number): Promise<number> =>
  (await relay.root.get(`/api/channel/${id}`)).data.status;

/** Time passes for the circuit breakers, and what was put off is done. */
async function pass(ms: number): Promise<void> {
  now += ms;
  const due = later.filter(({ at }) => at <= now);
  later = later.filter(({ at }) => at > now);
  for (const { work } of due) work();
  await Promise.all(tests);
}

const tries = async (channel: number): Promise<number> =>
  (await relay.logs()).reduce(
    (sum, { other }) =>
      sum + other.admin_info.use_channel.filter((id: string) => id === String(channel)).length,
    0,
  );

it('keeps errors few and extra load small while three of four channels fail', async () => {
  const deadPort = freePort();
  const dead = await relay.addChannel({ name: 'dead', base_url: `http://127.0.0.1:${deadPort}` });
  const [busy, busyId] = await addUpstream('busy', '429');
  const [slow, slowId] = await addUpstream('slow', 'hang', { setting });
  const well = relay.upstream;

  // Only a call that was too slow is not tried elsewhere; the fifth in a row opens the breaker of its channel.
  let failed = 0;
  while (failed < 5) failed += await calls(1);
  expect(slow.chats).toHaveLength(5);
  await calls(40);

  const before = {
    well: well.chats.length,
    busy: busy.chats.length,
    slow: slow.chats.length,
    dead: await tries(dead),
  };
  expect(await calls(200)).toBe(0);
  expect(well.chats.length - before.well).toBe(200);
  expect([busy.chats.length, slow.chats.length]).toEqual([before.busy, before.slow]);
  expect(await tries(dead)).toBe(before.dead);

  // A minute, second by second: probes cost retries, never an answer.
  let wrong = 0;
  for (let second = 0; second < 60; second++) {
    await pass(SECOND);
    wrong += await calls(4);
  }
  const rows = await relay.settled(1);
  const attempts = rows.reduce((sum, { other }) => sum + other.admin_info.use_channel.length, 0);
  expect(wrong).toBe(0);
  expect(attempts / rows.length).toBeLessThanOrEqual(1.2);
  // By tests, never by callers.
  expect(slow.chats.length).toBeGreaterThan(before.slow);
  expect(await statusOf(busyId)).toBe(1);
  expect([1, 3]).toContain(await statusOf(slowId));
});

it('disables what fails probe after probe, and tells root', async () => {
  const [dead, id] = await addUpstream('dead', '500');
  await breakOpen(dead);
  for (let second = 0; second < 80 && (await statusOf(id)) === 1; second++) {
    await pass(SECOND);
    await calls(3);
  }
  // Root is told after it was done.
  while ((await statusOf(id)) === 1 || alerts.length === 0) await Bun.sleep(5);
  await Promise.all(tests);
  expect(asked(dead)).toHaveLength(8);
  // One when its breaker opened, one beside each probe, and the last that says so, too, if the one beside it is over.
  expect([4, 5]).toContain(dead.chats.length - asked(dead).length);
  expect(alerts).toMatchObject([{ type: 'channel_disabled', subject: `channel:${id}` }]);
  expect(await calls(20)).toBe(0);
});

it('asks what has healed with the first probe, and then again like the others', async () => {
  const [sick, id] = await addUpstream('sick', '500');
  await breakOpen(sick);
  sick.always = 'ok';
  await calls(20);
  expect(asked(sick)).toHaveLength(5);
  await pass(10 * SECOND);
  while (asked(sick).length < 6) expect(await calls(1)).toBe(0);
  await calls(60);
  expect(asked(sick).length).toBeGreaterThan(6 + 10);
  expect(await statusOf(id)).toBe(1);
});

it('never takes out the last channel of a model because it fails, and asks it whatever it does', async () => {
  await relay.root.put('/api/channel/', { id: relay.channelId, models: 'something-else' });
  const [last, id] = await addUpstream('last', '500');
  expect(await calls(12)).toBe(12);
  expect(asked(last)).toHaveLength(12);
  for (let second = 0; second < 100; second++) {
    await pass(SECOND);
    await calls(1);
  }
  expect(asked(last)).toHaveLength(112);
  expect(await statusOf(id)).toBe(1);
  expect(new Set(alerts.map(({ type }) => type))).toEqual(new Set(['channel_last']));
  last.always = 'ok';
  expect(await calls(5)).toBe(0);
});

it('leaves a channel alone for as long as it says, then lets one call try', async () => {
  const [busy] = await addUpstream('busy', '429');
  while (busy.chats.length === 0) await calls(1);
  await pass(6.9 * SECOND);
  await calls(30);
  expect(busy.chats).toHaveLength(1);
  await pass(0.2 * SECOND);
  await calls(30);
  expect(busy.chats).toHaveLength(2);
});

it('takes nobody out for a moment in which nobody can be reached', async () => {
  const [, first] = await addUpstream('first', '500');
  const [, second] = await addUpstream('second', '500');
  relay.upstream.always = '500';
  for (let call = 0; call < 60; call++) {
    expect(await calls(1)).toBe(1);
    now += 10;
  }
  // All are asked in turn, so that the first who is well again answers.
  for (const { chats } of upstreams) expect(chats.length).toBeGreaterThan(10);
  for (const upstream of [relay.upstream, ...upstreams]) upstream.always = 'ok';
  expect(await calls(20)).toBe(0);
  expect(await Promise.all([first, second, relay.channelId].map(statusOf))).toEqual([1, 1, 1]);
  expect(alerts).toEqual([]);
});

it('lets one call alone try a channel whose breaker is half-open, also of many that fail elsewhere at once', async () => {
  const [sick, id] = await addUpstream('sick', '500');
  await breakOpen(sick);
  // Asked first, it fails all of them, until its own breaker is open too.
  relay.upstream.always = '500';
  await relay.root.put('/api/channel/', { id: relay.channelId, priority: 1 });
  sick.always = 'held';
  await pass(10 * SECOND);
  let answered = 0;
  const count = (failed: number) => {
    answered++;
    return failed;
  };
  const atOnce = Array.from({ length: 10 }, () => calls(1).then(count));
  while (answered < 9) await Bun.sleep(5);
  await Promise.all(tests);
  // Who comes now finds both open, and the one of them tried by another.
  expect(await calls(3)).toBe(3);
  expect(asked(sick)).toHaveLength(6);
  expect(sick.heldNow).toBe(1);
  sick.release();
  expect((await Promise.all(atOnce)).filter((failed) => failed > 0)).toHaveLength(9);
  expect(await statusOf(id)).toBe(1);
});
