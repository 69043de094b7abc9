/**
 * Schemas of a few kilobytes that mean some megabytes once their references are put in, which gateways do that ask Google:
 * what they make of a tool is read as prompt, whatever the wire of the channel that they stand behind.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { chatAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    named: { type: 1, named: 'gemini-2.5-pro' },
    mapped: { type: 1, named: 'house', model_mapping: { house: 'vertex_ai/gemini-2.5-flash' } },
    messages: { type: 14, named: 'gemini-2.5-flash' },
    claude: { type: 14, named: 'claude-sonnet-4-6' },
    gpt: { type: 1, named: 'gpt-4o-mini' },
    other: { type: 1 },
  }));
});
afterAll(() => t.close());

const fields = (count: number, name: string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { $ref: `#/$defs/${name}` }]));
/** So many fields, each of which has as many, in three rounds. */
const meaning = (fan: number): JsonObject => ({
  type: 'object',
  properties: fields(fan, 'a'),
  $defs: {
    a: { type: 'object', properties: fields(fan, 'b') },
    b: { type: 'object', properties: fields(fan, 'c') },
    c: { type: 'string' },
  },
});
/** Some 20 characters of each of them are left. */
const tokensOf = (fan: number) => Math.round((fan ** 3 * 20) / 4);

const said = [{ role: 'user', content: 'Hi' }];
const WAYS = {
  'a chat': {
    model: 'named',
    path: '/v1/chat/completions',
    body: (parameters: JsonObject) => ({
      messages: said,
      max_tokens: 16,
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    }),
    answer: (tokens: number) => chatAnswer({ prompt_tokens: tokens, completion_tokens: 1 }),
  },
  'a chat whose model has another name': {
    model: 'mapped',
    path: '/v1/chat/completions',
    body: (schema: JsonObject) => ({
      messages: said,
      max_tokens: 16,
      response_format: { type: 'json_schema', json_schema: { name: 'r', schema } },
    }),
    answer: (tokens: number) => chatAnswer({ prompt_tokens: tokens, completion_tokens: 1 }),
  },
  'a chat that says its schema as LiteLLM reads it': {
    model: 'named',
    path: '/v1/chat/completions',
    body: (response_schema: JsonObject) => ({
      messages: said,
      max_tokens: 16,
      response_format: { type: 'json_object', schema: {}, response_schema },
    }),
    answer: (tokens: number) => chatAnswer({ prompt_tokens: tokens, completion_tokens: 1 }),
  },
  'a call of Responses that adds its tool': {
    model: 'named',
    path: '/v1/responses',
    body: (parameters: JsonObject) => ({
      input: [
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f', parameters }] },
        ...said,
      ],
      max_output_tokens: 16,
    }),
    answer: (tokens: number) => responsesAnswer({ input_tokens: tokens, output_tokens: 1 }),
  },
  'a call of Responses': {
    model: 'named',
    path: '/v1/responses',
    body: (parameters: JsonObject) => ({
      input: 'Hi',
      max_output_tokens: 16,
      tools: [{ type: 'function', name: 'f', parameters }],
    }),
    answer: (tokens: number) => responsesAnswer({ input_tokens: tokens, output_tokens: 1 }),
  },
  'a call of Messages': {
    model: 'messages',
    path: '/v1/messages',
    body: (input_schema: JsonObject) => ({
      messages: said,
      max_tokens: 16,
      tools: [{ name: 'f', input_schema }],
    }),
    answer: (tokens: number) => messagesAnswer({ input_tokens: tokens, output_tokens: 1 }),
  },
};

describe.each(['messages', 'claude'])('words of chats in Messages, at %s', (model) => {
  it.each<[string, (schema: JsonObject) => JsonObject]>([
    [
      'a format',
      (schema) => ({ response_format: { type: 'json_schema', json_schema: { name: 'r', schema } } }),
    ],
    ['functions', (parameters) => ({ functions: [{ name: 'f', parameters }] })],
  ])('%s is held for what it means', async (_, more) => {
    const tokens = tokensOf(21);
    const body = { messages: said, max_tokens: 16, ...more(meaning(21)) };
    const answer = () => messagesAnswer({ input_tokens: tokens, output_tokens: 1 });
    await t.relay.setBalance(Math.floor(tokens * 0.9));
    expect(await storm(t, { model: models[model] ?? '', path: '/v1/messages', body, answer }, 2)).toBe(0);
  });
});

describe('a description that a gateway copies into each branch', () => {
  const parameters = {
    type: 'object',
    properties: { a: { description: 'word '.repeat(800), anyOf: Array(200).fill({ type: 'string' }) } },
  };
  const tokens = 161_410;
  const { path, body, answer } = WAYS['a chat'];
  const call = (model: string) => ({
    model: models[model] ?? '',
    path,
    body: body(parameters),
    answer: () => answer(tokens),
  });

  it.each(['named', 'other'])('is held where it may ask Google: %s', async (model) => {
    await t.relay.setBalance(Math.floor(tokens * 0.9));
    expect(await storm(t, call(model), 2)).toBe(0);
    await t.relay.setBalance(tokens * 10);
    const before = (await t.relay.account()).quota;
    expect(await storm(t, call(model), 1)).toBe(1);
    expect(before - (await t.relay.account()).quota).toBe(tokens + 2);
  });

  it('is no longer for who reads it once', async () => {
    await t.relay.setBalance(Math.floor(tokens * 0.9));
    const got = await storm(t, { ...call('gpt'), answer: () => answer(2_000) }, 1);
    expect(got).toBe(1);
  });
});

it('more than any model reads is not measured before anything is held', async () => {
  await t.relay.setBalance(0);
  const { path, body } = WAYS['a chat'];
  const parameters = { x: { $ref: 'a' }, y: Array(60_000).fill({}) };
  const asked = async (model: string) =>
    (await t.post(path, { model: models[model] ?? '', ...body(parameters) })).status;
  expect([await asked('named'), await asked('other')]).toEqual([400, 403]);
});

describe.each(Object.entries(WAYS))('%s', (_, { model, path, body, answer }) => {
  it('is held for what its schema means', async () => {
    const off = await t.relay.writtenOff();
    const tokens = tokensOf(15);
    const call = { model: models[model] ?? '', path, body: body(meaning(15)), answer: () => answer(tokens) };
    await t.relay.setBalance(Math.floor(tokens * 0.9));
    expect(await storm(t, call, 6)).toBe(0);
    await t.relay.setBalance(tokens * 10);
    const before = (await t.relay.account()).quota;
    const ran = await storm(t, call, 6);
    expect(ran).toBeGreaterThan(1);
    expect(before - (await t.relay.account()).quota).toBe(ran * (tokens + 2));
    expect(await t.relay.writtenOff()).toBe(off);
  });

  it('is refused with one that means more than any model reads', async () => {
    await t.relay.setBalance(100_000_000);
    t.answers(answer(1_000_000));
    const got = await t.post(path, { model: models[model] ?? '', ...body(meaning(60)) });
    expect([got.status, await got.text()]).toEqual([400, expect.stringContaining('references put in')]);
  });
});

it('no schema is too large for a model that reads it as it came', async () => {
  const { path, body, answer } = WAYS['a chat'];
  t.answers(answer(4_000));
  const got = await t.post(path, { model: models.other ?? '', ...body(meaning(60)) });
  expect(got.status).toBe(200);
  await got.text();
});
