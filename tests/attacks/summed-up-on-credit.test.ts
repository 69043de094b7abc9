/**
 * Conversations summed up on credit: a request lets its service read all of it, write a summary and begin again from that,
 * which is a call within the call. What is not held for it when the call goes up is given away.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { chatAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
let offBefore = 0;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    claude: { type: 14, named: 'claude-sonnet-4-6' },
    openai: { type: 3, named: 'gpt-5' },
    gateway: { type: 1, named: 'claude-opus-4-6', setting: { allow_dearer: true } },
    unsold: { type: 1, named: 'claude-opus-4-5' },
    custom: { type: 8, named: 'claude-sonnet-4-5' },
  }));
});
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});
afterAll(() => t.close());

const PROMPT = 52_000;
const SAID = ' a'.repeat(PROMPT);
const compact = (more: JsonObject = {}): JsonObject => ({ type: 'compact_20260112', ...more });
const FROM = { trigger: { type: 'input_tokens', value: 50_000 } };

interface Call {
  edits: JsonObject[];
  said?: string;
  /** What the service read, wrote and read again. */
  summary?: number;
}

const send = ({ edits, said = SAID, summary = 0 }: Call, calls: number): Promise<number> => {
  const own = { input_tokens: (summary || said.length / 2) + 100, output_tokens: 1 };
  const usage: JsonObject = summary
    ? {
        ...own,
        iterations: [
          { type: 'compaction', input_tokens: PROMPT + 100, output_tokens: summary },
          { type: 'message', ...own },
        ],
      }
    : own;
  const body = { messages: [{ role: 'user', content: said }], max_tokens: 1, context_management: { edits } };
  return storm(
    t,
    { model: models.claude ?? '', path: '/v1/messages', body, answer: () => messagesAnswer(usage) },
    calls,
  );
};

/** One unit a token that is read, and two one that is written. */
const costOf = (summary: number): number => PROMPT + 100 + 2 * summary + summary + 100 + 2;

it.each([
  ['a usual one', 3_500],
  ['a long one', 20_000],
])('is not done on credit, however many ask at once, and is paid for in full: %s', async (_, summary) => {
  const call = { edits: [compact({ ...FROM, instructions: 'Write all that you can.' })], summary };
  const cost = costOf(summary);
  await t.relay.setBalance(Math.floor(cost / 2));
  expect(await send(call, 12)).toBe(0);
  await t.relay.setBalance(5 * cost);
  expect(await send(call, 12)).toBeWithin(1, 6);
  expect((await t.relay.logs()).at(-1)?.quota).toBe(cost);
  await t.relay.setBalance(10_000_000);
  await send(call, 1);
  expect((await t.row()).quota).toBe(cost);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});

it.each<[what: string, call: Call]>([
  ['where nothing is long enough for it', { edits: [compact()], said: 'Hi' }],
  ['where it begins later', { edits: [compact({ trigger: { type: 'input_tokens', value: 100_000 } })] }],
  ['where something is left out alone', { edits: [{ type: 'clear_tool_uses_20250919', ...FROM }] }],
])('is not held for %s', async (_, call) => {
  await t.relay.setBalance((call.said ? 0 : PROMPT) + 5_000);
  expect(await send({ ...call, summary: 0 }, 1)).toBe(1);
  expect(t.lastSeen.body.context_management).toEqual({ edits: call.edits });
});

it('is held for on the wire of Responses as well', async () => {
  const body = {
    input: SAID,
    max_output_tokens: 16,
    context_management: [{ type: 'compaction', compact_threshold: 50_000 }],
  };
  const answer = () => responsesAnswer({ input_tokens: PROMPT + 20_100, output_tokens: 20_001 });
  const path = '/v1/responses';
  await t.relay.setBalance(100_000);
  expect(await storm(t, { model: models.openai ?? '', path, body, answer }, 12)).toBe(0);
  await t.relay.setBalance(400_000);
  expect(await storm(t, { model: models.openai ?? '', path, body, answer }, 12)).toBeWithin(1, 4);
  expect((await t.relay.logs()).at(-1)?.quota).toBe(PROMPT + 20_100 + 2 * 20_001);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});

/** Both ways to say it, which gateways take on each wire. */
const FORMS: [form: string, wish: JsonObject | JsonObject[]][] = [
  ['of edits', { edits: [compact(FROM)] }],
  ['of items', [{ type: 'compaction', compact_threshold: 50_000 }]],
];

it.each(FORMS)(
  'is held for on the wire of chats as well, and what is told of it is believed: %s',
  async (_, wish) => {
    const summary = 20_000;
    const used = { prompt_tokens: PROMPT + 100 + summary + 100, completion_tokens: summary + 1 };
    const usage = { ...used, total_tokens: used.prompt_tokens + used.completion_tokens };
    const call = {
      model: models.gateway ?? '',
      path: '/v1/chat/completions',
      body: { messages: [{ role: 'user', content: SAID }], max_tokens: 1, context_management: wish },
      answer: () => chatAnswer(usage),
    };
    await t.relay.setBalance(Math.floor(costOf(summary) / 2));
    expect(await storm(t, call, 12)).toBe(0);
    await t.relay.setBalance(5 * costOf(summary));
    expect(await storm(t, call, 12)).toBeWithin(1, 6);
    expect(t.lastSeen.body.context_management).toEqual(wish);
    expect((await t.relay.logs()).at(-1)?.quota).toBe(costOf(summary));
    expect(await t.relay.writtenOff()).toBe(offBefore);
  },
);

it.each(FORMS)('is held for on the wire of messages, whichever words ask for it: %s', async (_, wish) => {
  const summary = 20_000;
  const own = { input_tokens: summary + 100, output_tokens: 1 };
  const iterations = [
    { type: 'compaction', input_tokens: PROMPT + 100, output_tokens: summary },
    { type: 'message', ...own },
  ];
  const call = {
    model: models.claude ?? '',
    path: '/v1/messages',
    body: { messages: [{ role: 'user', content: SAID }], max_tokens: 1, context_management: wish },
    answer: () => messagesAnswer({ ...own, iterations }),
  };
  await t.relay.setBalance(Math.floor(costOf(summary) / 2));
  expect(await storm(t, call, 12)).toBe(0);
  await t.relay.setBalance(5 * costOf(summary));
  expect(await storm(t, call, 12)).toBeWithin(1, 6);
  expect((await t.relay.logs()).at(-1)?.quota).toBe(costOf(summary));
  expect(await t.relay.writtenOff()).toBe(offBefore);
});

/** A gateway tells of such a call what was read of the summary, and what was written after it. */
const LAST = 3_600;
const SURFACES: [path: string, body: JsonObject, answer: JsonObject][] = [
  [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: SAID }], max_tokens: 1 },
    chatAnswer({ prompt_tokens: LAST, completion_tokens: 1 }),
  ],
  [
    '/v1/responses',
    { input: SAID, max_output_tokens: 16 },
    responsesAnswer({ input_tokens: LAST, output_tokens: 1 }),
  ],
];

it.each(SURFACES)('is not done where no answer could tell of it: %s', async (path, body, answer) => {
  await t.relay.setBalance(10_000_000);
  t.answers(answer);
  for (const model of path.endsWith('completions') ? ['unsold', 'custom'] : ['unsold']) {
    for (const [, wish] of FORMS) {
      const asked = { model: models[model] ?? '', ...body, context_management: wish };
      const got = await t.post(path, asked);
      expect([got.status, got.headers.get('x-gateway-lost')]).toEqual([200, 'context_management']);
      await t.row();
      expect(JSON.stringify(t.lastSeen.body)).not.toContain('compact');
    }
  }
});

it('leaves what else is wished of a conversation', async () => {
  const [path, body, answer] = SURFACES[0] ?? ['', {}, {}];
  t.answers(answer);
  const other = { type: 'clear_tool_uses_20250919' };
  const asked = { model: models.unsold ?? '', ...body, context_management: { edits: [compact(), other] } };
  expect((await t.post(path, asked)).headers.get('x-gateway-lost')).toBe('context_management');
  await t.row();
  expect(t.lastSeen.body.context_management).toEqual({ edits: [other] });
  await t.post(path, { ...asked, contextManagement: { edits: [compact()] } });
  await t.row();
  expect(JSON.stringify(t.lastSeen.body)).not.toContain('compact');
});

it('is charged by the length of the longer call, not by that of both together', async () => {
  const model = models.claude ?? '';
  const tiers = [
    { up_to: PROMPT + 100, input: 2, output: 4 },
    { up_to: null, input: 20, output: 40 },
  ];
  await t.relay.set({ ModelTieredPrice: { [model]: tiers } });
  await t.relay.setBalance(100_000_000);
  const summary = 3_500;
  expect(await send({ edits: [compact(FROM)], summary }, 1)).toBe(1);
  expect(await t.row()).toMatchObject({
    quota: costOf(summary),
    other: { price_tier: { by: 'input', from: 0, up_to: PROMPT + 100, count: PROMPT + 100 } },
  });
  await t.relay.set({ ModelTieredPrice: {} });
});
