/**
 * What OpenAI bills of its hosted tools, and tells: the searches among the calls of its search, most of which open pages or
 * look into them and cost nothing.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let model = '';
beforeAll(async () => {
  const attack = await openAttack({ gpt: { type: 1, named: 'gpt-5-mini' } });
  t = attack.t;
  model = attack.models.gpt ?? '';
});
afterAll(() => t.close());
beforeEach(() => t.relay.setBalance(50_000_000));

const USAGE = { input_tokens: 8_000, output_tokens: 1_000 };
/** At $2 a million, and twice that. */
const TOKENS = 10_000;
/** At $10 a thousand. */
const SEARCH = 5_000;

const ACTIONS = ['search', 'open_page', 'find_in_page', 'search', 'open_page', 'find_in_page'];
const CALLS = ACTIONS.map((type, n) => ({
  type: 'web_search_call',
  id: `ws_${n}`,
  status: 'completed',
  action: { type },
}));

/** The events of an answer, whose items begin without an action. */
const eventsOf = (answer: JsonObject, calls: readonly JsonObject[]): JsonObject[] => [
  { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
  ...calls.flatMap((item, output_index) => [
    {
      type: 'response.output_item.added',
      output_index,
      item: { type: item.type ?? '', id: item.id ?? '', status: 'in_progress' },
    },
    { type: 'response.output_item.done', output_index, item },
  ]),
  { type: 'response.output_text.delta', output_index: calls.length, delta: 'ok' },
  { type: 'response.completed', response: answer },
];

async function ask(stream: boolean, told: JsonObject = {}) {
  const answer: JsonObject = { ...responsesAnswer(USAGE, { before: CALLS }), ...told };
  t.answers(stream ? () => eventStream(eventsOf(answer, CALLS)) : answer);
  const got = await t.post('/v1/responses', {
    model,
    stream,
    input: 'What is new?',
    max_output_tokens: 1_000,
    tools: [{ type: 'web_search' }],
  });
  await got.text();
  const { quota, other } = await t.row();
  return [got.status, quota, other.tool_uses, other.usage_suspect];
}

const due = (count: number) => [
  200,
  TOKENS + count * SEARCH,
  [{ tool: 'web_search', count, price: 10 }],
  undefined,
];
const billed = (num_requests: number): JsonObject => ({ tool_usage: { web_search: { num_requests } } });

describe.each([false, true])('the calls of a search, streamed: %p', (stream) => {
  it('cost what those do that search', async () => {
    expect(await ask(stream)).toEqual(due(2));
  });

  it('cost what they are told to be billed', async () => {
    expect(await ask(stream, billed(1))).toEqual(due(1));
    expect(await ask(stream, billed(3))).toEqual(due(3));
  });

  it('are not free for a zero that a gateway fills in', async () => {
    expect(await ask(stream, billed(0))).toEqual(due(2));
  });
});

it('the calls of a search take no more of a balance than they cost', async () => {
  await t.relay.setBalance(38_000);
  expect(await ask(true)).toEqual(due(2));
});
