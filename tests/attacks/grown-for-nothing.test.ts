/** What nobody pays for by its length goes up hardly longer than it came, whose key and whose price it may be. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
/** By how they are paid for. */
const models: Record<string, string> = {};
beforeAll(async () => {
  t = await openOperations();
  const { relay, base } = t;
  await relay.setBalance(100_000_000);
  for (const name of ['free', 'by call', 'by tokens']) models[name] = await t.model(24);
  await t.price({
    ModelRatio: { [models.free ?? '']: 0 },
    ModelPrice: { [models['by call'] ?? '']: 0.000_002 },
  });
  const { data: supplier } = await relay.root.post('/api/supplier/admin/', {
    name: 'Gem',
    type: 24,
    base_url: base,
  });
  const user = await relay.api.as(relay.user);
  await user.post('/api/user/custom-models/conf', {
    supplier_id: supplier.id,
    key: 'sk-his-own-0123456789',
    models: ['m'],
  });
  models['one’s own key'] = 'Gem/m';
  t.answers({
    candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
  });
});
afterAll(() => t.close());

const tool = (parameters: JsonObject, n = 0) => ({
  type: 'function',
  function: { name: `f${n}`, parameters },
});
const to = (name: string) => ({ $ref: `#/$defs/${name}` });
/** 1.75 KB that are 2.5 MB with their references put in. */
const fan = (name: string) => ({ anyOf: Array(18).fill(to(name)) });
const c = { type: 'string', description: 'a word '.repeat(60) };
const growing = [tool({ type: 'object', ...fan('a'), $defs: { a: fan('b'), b: fan('c'), c } })];
/** 200 KB of usual tools that are 500 KB. */
const long = { type: 'string', description: 'a word '.repeat(140) };
const usual = Array.from({ length: 180 }, (_, n) =>
  tool({ type: 'object', properties: { p: to('c'), q: to('c'), r: to('c') }, $defs: { c: long } }, n),
);

const asked = async (how: string, tools: JsonObject[]) => {
  const before = t.seen.length;
  const body = {
    model: models[how] ?? '',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 5,
    tools,
  };
  const answer = await t.post('/v1/chat/completions', body);
  await answer.text();
  const [seen] = t.seen.slice(before);
  return {
    status: answer.status,
    times: seen && JSON.stringify(seen.body).length / JSON.stringify(body).length,
  };
};

describe.each(['one’s own key', 'free', 'by call'])('%s', (how) => {
  it('is no way to send up a thousand times what came', async () => {
    expect(await asked(how, growing)).toEqual({ status: 413, times: undefined });
  });

  it('takes many honest tools that name what they share', async () => {
    const { status, times } = await asked(how, usual);
    expect([status, Math.floor(times ?? 0)]).toEqual([200, 2]);
  });
});

it('what is held for by its length may be as long as a model reads', async () => {
  const { status, times } = await asked('by tokens', growing);
  expect([status, (times ?? 0) > 1_000]).toEqual([200, true]);
});
