/**
 * OpenAI seals reasoning to the account and the model that wrote it, and refuses it of any other: conversations go on all
 * the same, whoever answers them next.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { carry } from '../../src/dialects/carried.ts';
import { type OperationSeen, type Operations, openOperations } from '../support/operations.ts';

const MODELS = 'gpt-6.1-sol,gpt-6-luna';
const [MODEL = '', OTHER = ''] = MODELS.split(',');

let t: Operations;
/** By its seal, which account and model wrote it. */
let writers: Map<string, string>;
/** Names a channel, where it ends with one. */
let admins = '';
/** The channel of each account. */
const channels: Record<string, number> = {};
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true, RetryTimes: 1 });
  for (const key of ['a', 'b'])
    channels[key] = await t.relay.addChannel({ type: 3, base_url: t.base, models: MODELS, key });
  admins = await t.relay.addToken({}, await t.relay.api.createUser({ role: 10, quota: 500_000_000 }));
  await t.relay.setBalance(500_000_000);
});
afterAll(() => t.close());
beforeEach(() => {
  writers = new Map();
  t.answers(answer);
});

const refused = (message: string, code: string | null = 'invalid_encrypted_content') =>
  Response.json({ error: { message, type: 'invalid_request_error', param: null, code } }, { status: 400 });

const itemsIn = ({ input }: JsonObject): JsonObject[] =>
  Array.isArray(input) ? (input as JsonObject[]) : [];
const sealsIn = (body: JsonObject) => itemsIn(body).flatMap(({ encrypted_content: seal }) => seal ?? []);
const accountOf = ({ headers }: Pick<OperationSeen, 'headers'>) => headers.get('api-key') ?? '';

function answer({ body, headers }: OperationSeen): Response {
  const account = accountOf({ headers });
  const writer = `${account} ${body.model}`;
  if (sealsIn(body).some((seal) => writers.get(String(seal)) !== writer))
    return refused('The encrypted content gAAA...DQ== could not be verified.');
  const n = writers.size;
  const seal = `gAAAAAB${n}${'x'.repeat(50)}`;
  writers.set(seal, writer);
  const output = [
    {
      type: 'reasoning',
      id: `rs_${n}`,
      summary: n % 2 ? [{ type: 'summary_text', text: 'so' }] : [],
      encrypted_content: seal,
    },
    { type: 'function_call', id: `fc_${n}`, call_id: `call_${n}`, name: 'f', arguments: '{}' },
  ];
  const usage = { input_tokens: 9, output_tokens: 9 };
  return Response.json({ id: `resp_${n}`, status: 'completed', output, usage });
}

const parameters = { type: 'object', properties: {} };

/** A caller: how he asks, and what he adds to his history of an answer. */
interface Caller {
  path(model: string): string;
  body(model: string, history: JsonObject[]): JsonObject;
  begin: JsonObject;
  goOn(said: JsonObject): JsonObject[];
}
const CALLERS: Record<string, Caller> = {
  Messages: {
    path: () => '/v1/messages',
    body: (model, messages) => ({
      model,
      max_tokens: 500,
      tools: [{ name: 'f', input_schema: parameters }],
      messages,
    }),
    begin: { role: 'user', content: 'hi' },
    goOn({ content }) {
      const results = (content as JsonObject[]).flatMap(({ type, id = '' }) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'r' }] : [],
      );
      return [
        { role: 'assistant', content: content ?? [] },
        { role: 'user', content: results },
      ];
    },
  },
  Chat: {
    path: () => '/v1/chat/completions',
    body: (model, messages) => ({
      model,
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
      messages,
    }),
    begin: { role: 'user', content: 'hi' },
    goOn({ choices }) {
      const [{ message }] = choices as [{ message: JsonObject & { tool_calls: [{ id: string }] } }];
      return [message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'r' }];
    },
  },
  Gemini: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_, contents) => ({ contents, tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }),
    begin: { role: 'user', parts: [{ text: 'hi' }] },
    goOn({ candidates }) {
      const [{ content }] = candidates as [{ content: JsonObject }];
      return [content, { role: 'user', parts: [{ functionResponse: { name: 'f', response: { r: 1 } } }] }];
    },
  },
};

describe.each(Object.entries(CALLERS))('a conversation by %s', (_, caller) => {
  /** Its turns, each by this account and model. Answers whose thoughts went up. */
  async function turns(...each: [account: string, model: string][]): Promise<string[][]> {
    const history = [caller.begin];
    const told: string[][] = [];
    for (const [account, model] of each) {
      const pinned = { authorization: `Bearer ${admins}-${channels[account]}` };
      const response = await t.post(caller.path(model), caller.body(model, history), pinned);
      const said = (await response.json()) as JsonObject;
      expect([response.status, said.error, accountOf(t.lastSeen)]).toEqual([200, undefined, account]);
      history.push(...caller.goOn(said));
      told.push(sealsIn(t.lastSeen.body).map((seal) => writers.get(String(seal)) ?? ''));
    }
    return told;
  }

  it('goes on at another account, and sends each its own thoughts', async () => {
    const [a, b] = [`a ${MODEL}`, `b ${MODEL}`];
    const told = await turns(['a', MODEL], ['a', MODEL], ['b', MODEL], ['b', MODEL], ['a', MODEL]);
    expect(told).toEqual([[], [a], [], [b], [a, a]]);
  });

  it('goes on with another model', async () => {
    const [one, other] = [`a ${MODEL}`, `a ${OTHER}`];
    const told = await turns(['a', MODEL], ['a', OTHER], ['a', OTHER], ['a', MODEL]);
    expect(told).toEqual([[], [], [other], [one]]);
  });
});

it('what was carried before there were marks still goes up', async () => {
  const seal = `gAAAAAB${'y'.repeat(50)}`;
  writers.set(seal, `a ${MODEL}`);
  const carried = carry({ origin: 'openai-responses', encrypted: seal, id: 'rs_old' }) ?? '';
  const content = [
    { type: 'thinking', thinking: '', signature: carried },
    { type: 'text', text: 'ho' },
  ];
  const messages = ['hi', content, 'so'].map((said, n) => ({
    role: n === 1 ? 'assistant' : 'user',
    content: said,
  }));
  const pinned = { authorization: `Bearer ${admins}-${channels.a}` };
  const body = { model: MODEL, max_tokens: 500, tools: [{ name: 'f', input_schema: parameters }], messages };
  const response = await t.post('/v1/messages', body, pinned);
  await response.text();
  expect([response.status, sealsIn(t.lastSeen.body)]).toEqual([200, [seal]]);
});
