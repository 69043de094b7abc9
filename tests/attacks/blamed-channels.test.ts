/** One caller whose own requests fail must take no channel and no key from all others. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { CircuitBreakers } from '../../src/relay/choose/circuit-breaker.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const POISON = 'what this upstream fails at';

let relay: TestRelay;
let server: Bun.Server<undefined>;
/** How the upstreams answer what is poisoned, and what is not. */
let poisoned: () => Response;
let plain: (key: string) => Response;
let now = 0;
let models = 0;

const well = () =>
  Response.json({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
  });
const says = (status: number, error: object) => () => Response.json({ error }, { status });
const down = says(500, { message: 'the server had an error' });

beforeAll(async () => {
  relay = await openTestRelay();
  const { relay: deps } = relay.api.deps;
  const { probe, onBroken } = deps.breakers;
  deps.breakers = new CircuitBreakers({ clock: () => now, random: () => 0.5 });
  Object.assign(deps.breakers, { probe, onBroken });
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const key = request.headers.get('authorization')?.slice(7) ?? '';
      return (await request.text()).includes(POISON) ? poisoned() : plain(key);
    },
  });
  const names = Array.from({ length: 20 }, (_, i) => [`m-${i}`, 1]);
  await relay.set({
    AutomaticDisableChannelEnabled: true,
    AutomaticDisableKeywords: 'Operation not allowed\nYour credit balance is too low',
    RetryTimes: 0,
    ModelRatio: Object.fromEntries(names),
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
  for (const until = performance.now() + 10_000; performance.now() < until; await Bun.sleep(5)) {
    const state = await stateOf(id);
    const isOut = state.status !== 1 || state.keys.includes(3);
    if (isOut || relay.api.deps.relay.witnesses?.wasFoundWell(name)) return state;
  }
  throw new Error('nothing came of it');
}

describe('a channel that fails whatever one asks it for', () => {
  it('stays where a test of our own is answered, though three accounts of one network say so', async () => {
    const { model, id } = await serve();
    const users = await Promise.all([1, 2].map(() => relay.api.createUser({ quota: 1_000_000 })));
    const keys = await Promise.all(users.map((user) => relay.addToken({}, user)));
    await breakUp(model, [{}, ...keys.map((key) => ({ key }))]);
    expect((await outcome(id, `channel:${id}`)).status).toBe(1);
  });

  it('is disabled where it fails at the test as well', async () => {
    plain = down;
    const { model, id } = await serve();
    await breakUp(model, [{}]);
    expect((await outcome(id, `channel:${id}`)).status).toBe(3);
  });

  it('is disabled where no test can ask it', async () => {
    const { model, id } = await serve({ test_model: 'dall-e-3' });
    await breakUp(model, [{}]);
    expect((await outcome(id, `channel:${id}`)).status).toBe(3);
  });

  it('stays where the test is told of too many calls', async () => {
    plain = says(429, { message: 'slow down' });
    const { model, id } = await serve();
    await breakUp(model, [{}]);
    expect((await outcome(id, `channel:${id}`)).status).toBe(1);
  });

  it('is disabled without one where several saw it from several networks', async () => {
    const { model, id } = await serve();
    const users = await Promise.all([1, 2].map(() => relay.api.createUser({ quota: 1_000_000 })));
    const keys = await Promise.all(users.map((user) => relay.addToken({}, user)));
    await breakUp(
      model,
      ['', ...keys].map((key, n) => ({ ...(key && { key }), ip: `203.0.113.${n}` })),
    );
    expect((await outcome(id, `channel:${id}`)).status).toBe(3);
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
