/** What is free to ask is as free to be refused: a count of tokens says nothing of calls that are paid for. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { type OperationSeen, type Operations, openOperations } from '../support/operations.ts';
import { until } from '../support/waits.ts';

let t: Operations;
/** Of a user who has nothing. */
let poorKey: string;
beforeAll(async () => {
  t = await openOperations();
  poorKey = await t.relay.addToken({}, await t.relay.api.createUser({ quota: 0 }));
});
afterAll(() => t.close());

const VERSION = { 'anthropic-version': '2023-06-01' };
const MESSAGES = [{ role: 'user', content: 'hi' }];

const isCount = ({ path }: OperationSeen) => path.endsWith('/count_tokens');
const keyOf = ({ headers }: OperationSeen) => headers.get('x-api-key');
const said = () =>
  Response.json({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 2 },
  });
const refusal = (status: number, type: string, headers = {}) =>
  Response.json({ type: 'error', error: { type, message: 'Not now.' } }, { status, headers });

/** The name of a model that two channels have, of which one comes first. */
async function twoChannels(): Promise<string> {
  const model = await t.model(14, { key: 'sk-first', priority: 10 });
  await t.model(14, { models: model, key: 'sk-second' });
  return model;
}

const count = async (model: string, key = poorKey) => {
  const answer = await t.post(
    '/v1/messages/count_tokens',
    { model, messages: MESSAGES },
    { authorization: `Bearer ${key}`, ...VERSION },
  );
  await answer.text();
  return answer.status;
};
const chat = async (model: string) => {
  const answer = await t.post('/v1/messages', { model, max_tokens: 5, messages: MESSAGES }, VERSION);
  await answer.text();
  return [answer.status, keyOf(t.lastSeen)];
};

it('a count that is refused keeps no chat away from a channel', async () => {
  const model = await twoChannels();
  t.answers((seen) => {
    if (!isCount(seen)) return said();
    const isFirst = keyOf(seen) === 'sk-first';
    return isFirst
      ? refusal(429, 'rate_limit_error', { 'retry-after': '600' })
      : Response.json({ input_tokens: 5 });
  });
  expect(await count(model)).toBe(200);
  expect(keyOf(t.lastSeen)).toBe('sk-second');
  expect(await chat(model)).toEqual([200, 'sk-first']);
  // Counts keep to what they have learned.
  const before = t.seen.length;
  expect(await count(model)).toBe(200);
  expect(t.seen.slice(before).map(keyOf)).toEqual(['sk-second']);
});

it('counts that are answered keep no channel in service whose chats fail', async () => {
  const model = await twoChannels();
  t.answers((seen) => {
    if (isCount(seen)) return Response.json({ input_tokens: 5 });
    return keyOf(seen) === 'sk-first' ? refusal(529, 'overloaded_error') : said();
  });
  const { breakers } = t.relay.api.deps.relay;
  const before = breakers.openCount;
  for (let n = 0; n < limits.failuresInARow; n++) {
    expect([await count(model), await count(model)]).toEqual([200, 200]);
    expect(await chat(model)).toEqual([200, 'sk-second']);
  }
  // Once a test of ours has failed as well.
  await until('the first channel rests', () => breakers.openCount > before);
});

it('counts neither earn nor spend the retries of what is paid for, nor have a turn among their keys', async () => {
  const model = await t.model(14, { key: 'sk-a\nsk-b', multi_key_mode: 'polling' });
  t.answers((seen) => (isCount(seen) ? refusal(500, 'api_error') : said()));
  const { quarters } = t.relay.api.deps.relay;
  const retries = t.relay.api.deps.relay.retries.of(t.relay.user.id);
  const left = () => {
    let all = 0;
    while (retries.spend()) all++;
    return all;
  };
  left();
  expect((await chat(model))[1]).toBe('sk-a');
  for (let n = 0; n < 2 / limits.retryShare; n++) expect(await count(model)).toBe(200);
  expect(left()).toBe(0);
  expect((await chat(model))[1]).toBe('sk-b');
  await quarters.write();
  const [row] = await t.relay.api.deps.db.query<{ ok: number; failed: number }>(
    `select sum(ok)::int as ok, sum(failed)::int as failed from channel_quarters
     where channel_id = (select max(id) from channels)`,
  );
  expect(row).toEqual({ ok: 2, failed: 0 });
});

it('no count sends up much more than it came with: it is counted here as long as it would be', async () => {
  const model = await t.model(24);
  t.answers({ totalTokens: 8 });
  const asked = async (times: number) => {
    const fan = (name: string) => ({ anyOf: Array(times).fill({ $ref: `#/$defs/${name}` }) });
    const c = { type: 'string', description: 'a word '.repeat(60) };
    const input_schema = { type: 'object', $defs: { a: fan('b'), b: fan('c'), c }, ...fan('a') };
    const body = { model, messages: MESSAGES, tools: [{ name: 'f', input_schema }] };
    const headers = { authorization: `Bearer ${poorKey}`, ...VERSION };
    const before = t.seen.length;
    const { input_tokens } = await (await t.post('/v1/messages/count_tokens', body, headers)).json();
    return { tokens: input_tokens, isAsked: t.seen.length > before };
  };
  expect(await asked(4)).toEqual({ tokens: 8, isAsked: true });
  const { tokens, isAsked } = await asked(18);
  expect(isAsked).toBe(false);
  const letters = 18 ** 3 * 420;
  expect(tokens).toBeWithin(letters / 4, letters);
});

it('one user may ask for so many counts a minute', async () => {
  const [owner, other] = [await t.relay.api.createUser(), await t.relay.api.createUser()];
  const [key, another] = [await t.relay.addToken({}, owner), await t.relay.addToken({}, owner)];
  // Counted here: as many calls of ours to an upstream at once would find no connection beside those of the test.
  const model = await t.model(1);
  const asked = Array.from({ length: limits.countsAMinute }, (_, n) =>
    count(model, n % 2 === 0 ? key : another),
  );
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
  expect([await count(model, key), await count(model, another)]).toEqual([429, 429]);
  expect(await count(model, await t.relay.addToken({}, other))).toBe(200);
});
