/** One caller whose own requests fail must take no channel and no key from all others. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { accessOf } from '../../src/modules/channel/probe.ts';
import { createCutList } from '../../src/platform/cut.ts';
import { Stopping } from '../../src/platform/stopping.ts';
import { createProbe } from '../../src/relay/attempt/probe.ts';
import { CircuitBreakers } from '../../src/relay/choose/circuit-breaker.ts';
import { errorOf } from '../support/error-of.ts';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MUCH = 8 * 1024 * 1024;
const POISON = 'what this upstream fails at';

let relay: TestRelay;
let server: Bun.Server<undefined>;
/** How the upstreams answer what is poisoned, and what is not. */
let poisoned: () => Response;
let plain: (key: string) => Response;
let now = 0;
let models = 0;
/** Calls that asked for nothing bad. */
let tests = 0;
/** Tests by which breakers learn how it is, under way or over. */
const probes: Promise<unknown>[] = [];
/** Channels that failed probe after probe: whether they are disabled shows later. */
const broken = new Set<number>();

const well = () =>
  Response.json({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
  });
/** Stands still in the midst of its body. */
const stuck = (status: number) => () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue('{"data": [') }), { status });
const says = (status: number, error: object) => () => Response.json({ error }, { status });
const down = says(500, { message: 'the server had an error' });

beforeAll(async () => {
  relay = await openTestRelay();
  const { relay: deps } = relay.api.deps;
  const { probe, onBroken, isWitnessed } = deps.breakers;
  deps.breakers = new CircuitBreakers({ clock: () => now, random: () => 0.5 });
  deps.breakers.isWitnessed = isWitnessed;
  deps.breakers.probe = (candidate, model) => {
    if (!probe) throw new Error('the relay probes nothing');
    const test = probe(candidate, model);
    probes.push(test);
    return test;
  };
  deps.breakers.onBroken = (candidate, reason) => {
    broken.add(candidate.channel.id);
    onBroken?.(candidate, reason);
  };
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const key = request.headers.get('authorization')?.slice(7) ?? '';
      if ((await request.text()).includes(POISON)) return poisoned();
      tests++;
      return plain(key);
    },
  });
  const names = Array.from({ length: 64 }, (_, i) => [`m-${i}`, `dall-e-${i}`]).flat();
  await relay.set({
    AutomaticDisableChannelEnabled: true,
    AutomaticDisableKeywords: 'Operation not allowed\nYour credit balance is too low',
    RetryTimes: 0,
    ModelRatio: Object.fromEntries(names.map((name) => [name, 1])),
  });
});
afterAll(async () => {
  await server.stop(true);
  await relay.close();
});
beforeEach(() => {
  poisoned = down;
  plain = well;
});

/** A channel that is asked first, beside another one: no last one is ever taken out for words. */
async function serve(more: JsonObject = {}) {
  const model = `m-${models++}`;
  const base_url = `http://127.0.0.1:${server.port}`;
  const id = await relay.addChannel({ models: model, base_url, ...more });
  await relay.addChannel({ models: model, priority: -1 });
  const [key] = await relay.api.deps.db.query<{ id: number }>(
    'select id from channel_keys where channel_id = $1 order by id limit 1',
    [id],
  );
  return { model, id, keyId: key?.id ?? 0 };
}

type From = { key?: string; ip?: string };
async function poison(model: string, { key, ip }: From = {}): Promise<void> {
  const request = relay.chatRequest({ model, messages: [{ role: 'user', content: POISON }] }, { key });
  if (ip) request.headers.set('x-forwarded-for', ip);
  await (await fetch(request)).text();
}

/** Fails five times, and then whenever one may try, one after the other. */
async function breakUp(model: string, from: readonly From[]): Promise<void> {
  for (let n = 0; n < 10; n++) {
    // The next minute, in which one that is half-open may be asked.
    if (n >= 5) now += 70_000;
    await poison(model, from[n % from.length]);
  }
}

const stateOf = async (id: number): Promise<{ status: number; keys: number[] }> => {
  const [state] = await relay.api.deps.db.query<{ status: number; keys: number[] }>(
    `select c.status, json_agg(k.status) as keys from channels c join channel_keys k on k.channel_id = c.id
      where c.id = $1 group by c.id`,
    [id],
  );
  if (!state) throw new Error('no such channel');
  return state;
};

/** What it came to: taken out of service, or found well by a test. */
async function outcome(id: number, name: string) {
  for (const until = performance.now() + patience(10_000); performance.now() < until; await Bun.sleep(5)) {
    const state = await stateOf(id);
    const isOut = state.status !== 1 || state.keys.includes(3);
    if (isOut || relay.api.deps.relay.witnesses?.wasFoundWell(name)) return state;
  }
  throw new Error('nothing came of it');
}

/** Nothing came of what one saw, unless it was broken: then a test has found it well. */
const stateLeft = (id: number) => (broken.has(id) ? outcome(id, `channel:${id}`) : stateOf(id));

/** Three accounts at three addresses. */
async function three(): Promise<From[]> {
  const users = await Promise.all([1, 2].map(() => relay.api.createUser({ quota: 1_000_000 })));
  const keys = await Promise.all(users.map((user) => relay.addToken({}, user)));
  return [{}, ...keys.map((key) => ({ key }))].map((from, n) => ({ ...from, ip: `203.0.113.${n}` }));
}

/** Whether the channel is asked before all others, once the tests that were under way are answered. */
async function isAsked(model: string, id: number): Promise<boolean> {
  const channel = relay.api.deps.relay.channels.byId(id);
  if (!channel) throw new Error('no such channel');
  await Promise.all(probes.splice(0));
  // Their answers are noted right after.
  await Bun.sleep(0);
  return relay.api.deps.relay.breakers.mayAsk(channel, model);
}

describe('a channel that fails whatever one asks it for', () => {
  it('stays for others where a test of our own is answered, whoever says so from wherever', async () => {
    const { model, id } = await serve();
    await breakUp(model, await three());
    expect(await isAsked(model, id)).toBe(true);
    expect((await stateLeft(id)).status).toBe(1);
  });

  it('is tested once by a burst, and not again a moment after it was found well', async () => {
    const { model, id } = await serve();
    const before = tests;
    for (let n = 0; n < 12; n++) await poison(model);
    expect(await isAsked(model, id)).toBe(true);
    expect(tests - before).toBe(1);
  });

  it('is open to others again as soon as a test is answered', async () => {
    plain = down;
    const { model, id } = await serve();
    for (let n = 0; n < 5; n++) await poison(model);
    expect(await isAsked(model, id)).toBe(false);
    plain = well;
    now += 70_000;
    await poison(model);
    expect(await isAsked(model, id)).toBe(true);
  });

  it('is disabled where it fails at the test as well', async () => {
    plain = down;
    const { model, id } = await serve();
    await breakUp(model, [{}]);
    expect((await outcome(id, `channel:${id}`)).status).toBe(3);
  });

  it('is tested by the first of its models that a test can ask', async () => {
    plain = down;
    await relay.addChannel({ models: 'dall-e-3', priority: -1 });
    const { model, id } = await serve({ models: `dall-e-3,m-${models}` });
    await breakUp(model, [{}]);
    expect((await outcome(id, `channel:${id}`)).status).toBe(3);
  });

  it('stays where the test finds its key refused, which goes alone', async () => {
    plain = says(403, { message: 'You may not do this.', type: 'permission_error' });
    const { id, keyId } = await serve({ key: 'sk-a-key-0001\nsk-b-key-0002', multi_key_mode: 'polling' });
    const { channels, breakers } = relay.api.deps.relay;
    const channel = channels.byId(id);
    const key = channel?.keys.find((each) => each.id === keyId);
    if (!channel || !key) throw new Error('no such channel');
    breakers.onBroken?.({ channel, key }, { code: 'broke-off' });
    const { status, keys } = await outcome(id, '');
    expect([status, keys.toSorted()]).toEqual([1, [1, 3]]);
  });

  it.each(['a word', 'its account'])('is not judged by %s that a stop of ours cuts off', async (what) => {
    const stopping = new Stopping();
    stopping.enter();
    plain = () => {
      void stopping.begin(0);
      return stuck(200)();
    };
    const { model, id } = await serve();
    const { relay: deps } = relay.api.deps;
    const channel = deps.channels.byId(id);
    if (!channel) throw new Error('no such channel');
    const probe = createProbe({ ...deps, stopping, cut: createCutList(stopping) });
    const test = what === 'a word' ? probe.test(channel, model) : probe.account(channel);
    expect(await test).toMatchObject({ success: false, untested: true });
    stopping.leave();
  });

  it('stays where the test is told of too many calls', async () => {
    plain = says(429, { message: 'slow down' });
    const { model, id } = await serve();
    await breakUp(model, [{}]);
    expect(await isAsked(model, id)).toBe(true);
    expect((await stateLeft(id)).status).toBe(1);
  });
});

describe('a channel that no test can ask', () => {
  /** Its model makes pictures for all we know; the other one, too, is never the last. */
  async function serveUntested() {
    const model = `dall-e-${models++}`;
    const base_url = `http://127.0.0.1:${server.port}`;
    const id = await relay.addChannel({ models: model, base_url });
    await relay.addChannel({ models: model, priority: -1 });
    return { model, id };
  }

  it('stays for others, whatever one sees', async () => {
    const { model, id } = await serveUntested();
    await breakUp(model, [{}]);
    expect(await isAsked(model, id)).toBe(true);
    expect((await stateLeft(id)).status).toBe(1);
  });

  it('stays where several see it from several networks, and its account is answered', async () => {
    const { model, id } = await serveUntested();
    await breakUp(model, await three());
    expect((await outcome(id, `channel:${id}`)).status).toBe(1);
  });

  it('is disabled where several see it, and its account is not answered either', async () => {
    plain = down;
    const { model, id } = await serveUntested();
    await breakUp(model, await three());
    expect((await outcome(id, `channel:${id}`)).status).toBe(3);
  });

  const SIGNED = { type: 33, key: 'AKIDEXAMPLE|what nobody may see|us-east-1' };
  it.each<[string, () => Response, object, { type?: number; key?: string; baseUrl?: string }?]>([
    ['is well where it lists its models', well, { success: true }],
    ['has a dead key', says(401, { message: 'no', code: 'invalid_api_key' }), { isKeyDead: true }],
    ['is broken', down, { success: false, isKeyDead: false }],
    ['tells nothing where it has no list', says(404, { message: 'no such path' }), { untested: true }],
    ['tells nothing where the list is denied', says(403, { message: 'not you' }), { untested: true }],
    [
      'shows no part of its key',
      says(401, { message: 'what nobody may see is not of AKIDEXAMPLE' }),
      { isKeyDead: true, reason: { said: '*** is not of ***' } },
      SIGNED,
    ],
    [
      'has a dead key where that names no region',
      well,
      { isKeyDead: true, reason: { said: 'the region is not valid' } },
      { ...SIGNED, key: 'AKIDEXAMPLE|what nobody may see|no region', baseUrl: '' },
    ],
  ])('%s', async (_, answer, expected, as = {}) => {
    plain = answer;
    const { id } = await serveUntested();
    const { channels, accountTest } = relay.api.deps.relay;
    const channel = channels.byId(id);
    const [key] = channel?.keys ?? [];
    if (!channel || !key) throw new Error('no such channel');
    const { key: value = key.value, ...of } = as;
    const asked = { channel: { ...channel, ...of }, key: { ...key, value } };
    expect(await accountTest(asked)).toMatchObject(expected);
  });

  const LATE = { success: false, isLate: true, isKeyDead: false, reason: { code: 'timeout' } };
  it.each<[string, () => Response, object]>([
    ['is late where its answer has no end', stuck(200), LATE],
    ['has a dead key by the status of an answer without one', stuck(401), { isKeyDead: true, isLate: false }],
    [
      'is well where its answer is longer than is read',
      () => new Response(' '.repeat(MUCH)),
      { success: true },
    ],
  ])('%s', async (_, answer, expected) => {
    plain = answer;
    const { id } = await serveUntested();
    const { relay: deps } = relay.api.deps;
    const channel = deps.channels.byId(id);
    if (!channel) throw new Error('no such channel');
    expect(await createProbe(deps).account(channel, { timeoutMs: patience(300) })).toMatchObject(expected);
  });

  it('is told to be late by whoever asks for its models', async () => {
    plain = stuck(200);
    const { id } = await serveUntested();
    const { relay: deps } = relay.api.deps;
    const channel = deps.channels.byId(id);
    if (!channel) throw new Error('no such channel');
    const access = { ...accessOf(channel), bounds: { ms: 50, bytes: 1_000 } };
    const refused = await errorOf(() => createProbe(deps).listModels(access));
    const params = { reason: { en: 'no answer in time' } };
    expect(refused).toMatchObject({ code: 'CHANNEL_FETCH', detail: { params } });
  });
});

describe('a key that is refused for what one asks', () => {
  const MAY_BE_OF_THE_REQUEST: [string, () => Response][] = [
    ['a denial', says(403, { message: 'You may not do this.', type: 'permission_error' })],
    ['too dear a call at another gateway', says(403, { message: 'no', code: 'insufficient_user_quota' })],
    [
      'a word of the operator’s that says nothing of the account',
      says(400, { message: 'Operation not allowed' }),
    ],
  ];

  it.each(MAY_BE_OF_THE_REQUEST)('(%s) stays where a test is answered', async (_, refusal) => {
    poisoned = refusal;
    const { model, id, keyId } = await serve({ key: 'sk-a-key-0001' });
    await poison(model);
    expect(await outcome(id, `key:${keyId}`)).toEqual({ status: 1, keys: [1] });
  });

  it.each(MAY_BE_OF_THE_REQUEST)('(%s) stays where three at three addresses see it', async (_, refusal) => {
    poisoned = refusal;
    const { model, id, keyId } = await serve({ key: 'sk-a-key-0001' });
    for (const from of await three()) await poison(model, from);
    expect(await outcome(id, `key:${keyId}`)).toEqual({ status: 1, keys: [1] });
    expect(await isAsked(model, id)).toBe(true);
  });

  it('stays where it is the content, and is not even tested', async () => {
    poisoned = says(403, { message: 'Your input was flagged by moderation.', type: 'permission_error' });
    const { model, id } = await serve();
    const before = tests;
    for (const from of await three()) await poison(model, from);
    expect(await isAsked(model, id)).toBe(true);
    // Of another key, which is tested: whatever was begun before has come by then.
    poisoned = says(403, { message: 'You may not do this.', type: 'permission_error' });
    const other = await serve();
    await poison(other.model);
    await outcome(other.id, `key:${other.keyId}`);
    await isAsked(other.model, other.id);
    expect([await stateOf(id), tests - before]).toEqual([{ status: 1, keys: [1] }, 1]);
  });

  it('is asked by others though it is too dear for one, whose call the account cannot afford', async () => {
    poisoned = says(402, { message: 'You requested up to 65536 tokens, but can only afford 30104.' });
    const { model, id } = await serve();
    await poison(model);
    expect(await isAsked(model, id)).toBe(true);
    plain = says(402, { message: 'You can only afford 3 tokens.' });
    now += 70_000;
    await poison(model);
    expect(await isAsked(model, id)).toBe(false);
  });

  it.each(MAY_BE_OF_THE_REQUEST)(
    '(%s) goes where it is refused at the test, and alone',
    async (_, refusal) => {
      poisoned = refusal;
      const { model, id } = await serve({ key: 'sk-a-key-0001\nsk-b-key-0002', multi_key_mode: 'polling' });
      plain = refusal;
      await poison(model);
      const { status, keys } = await outcome(id, '');
      expect([status, keys.toSorted()]).toEqual([1, [1, 3]]);
    },
  );

  it.each([
    ['a dead key', says(401, { message: 'no', code: 'invalid_api_key' })],
    ['a word that the vendor says of the account', says(400, { message: 'Your credit balance is too low' })],
  ])('(%s) goes at once', async (_, refusal) => {
    poisoned = refusal;
    const { model, id, keyId } = await serve();
    await poison(model);
    expect(await outcome(id, `key:${keyId}`)).toEqual({ status: 3, keys: [3] });
  });
});
