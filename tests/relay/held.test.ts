/** What is held for a prompt before its call goes upstream, to the token. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay();
  const models = ['gpt-4o', 'claude-mine', 'mine'];
  const ones = Object.fromEntries(models.map((model) => [model, 1]));
  await relay.set({
    ModelRatio: ones,
    CompletionRatio: ones,
    CreateCacheRatio: { 'claude-mine': 1.25, mine: 1.25 },
  });
  await relay.addChannel({ models: 'claude-mine,mine' });
});
afterAll(() => relay.close());

/** "hi" in bytes, halved, the frame of its message and that of the reply. */
const HI = 1 + 4 + 3;
const CAP = 20;
const SHORT = { type: 'ephemeral' };
const LONG = { type: 'ephemeral', ttl: '1h' };
const marked = (mark: JsonObject) => [
  { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: mark }] },
];
const TOOL: JsonObject = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
/** Half of its 76 bytes, in its list. */
const TOOL_TOKENS = 38;

/** Quota units held for a call while it is under way. */
async function heldFor(body: JsonObject): Promise<number> {
  relay.upstream.always = 'held';
  const asking = fetch(`${relay.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${relay.key}` },
    body: JSON.stringify({ max_tokens: CAP, messages: [{ role: 'user', content: 'hi' }], ...body }),
  });
  await relay.upstream.until(({ heldNow }) => heldNow === 1);
  const [reservation] = await relay.reservations();
  relay.upstream.release();
  await (await asking).text();
  return reservation?.amount ?? 0;
}

it.each<[what: string, body: JsonObject, units: number]>([
  ['half its bytes, and its frames', { model: 'gpt-4o' }, HI],
  ['the same where a maker asks for marks and there are none', { model: 'claude-mine' }, HI],
  ['its price of cache writes where a part is marked', { model: 'claude-mine', messages: marked(SHORT) }, 10],
  ['twice its price where that is for an hour', { model: 'claude-mine', messages: marked(LONG) }, 16],
  ['cache writes that a table names for a model of its own accord', { model: 'mine' }, 10],
  ['its tools beside it', { model: 'claude-mine', tools: [TOOL] }, HI + TOOL_TOKENS],
])('a prompt holds %s', async (_, body, units) => {
  expect(await heldFor(body)).toBe(units + CAP);
});

it('a row tells what was held, of which the rest came back', async () => {
  const before = await relay.logs();
  const held = await heldFor({ model: 'gpt-4o' });
  const row = (await relay.settled(before.length + 1)).at(-1);
  expect(row).toMatchObject({ other: { held } });
});

const MARKED_TOOL: JsonObject = { ...TOOL, cache_control: LONG };
/** 124 bytes, in its list. */
const MARKED_TOOL_TOKENS = 62;

it.each<[where: string, body: JsonObject, tokens: number]>([
  ['the request', { cache_control: LONG }, HI],
  ['a message', { messages: [{ role: 'user', content: 'hi', cache_control: LONG }] }, HI],
  ['a tool', { tools: [MARKED_TOOL] }, HI + MARKED_TOOL_TOKENS],
])('a mark on %s counts', async (_, body, tokens) => {
  expect(await heldFor({ model: 'claude-mine', ...body })).toBe(2 * tokens + CAP);
});
