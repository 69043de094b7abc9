/** Hybrid models ask another price for all that a call says in which they think: by the default prices, told or seen. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const ALIBABA = 17;
/** Quota units of a token of input, of output, and of output of a call that thinks. */
const PRICES = {
  'qwen-plus': [0.2, 0.6, 2],
  'qwen-turbo': [0.025, 0.1, 0.25],
  'qwen3-235b-a22b': [0.35, 1.4, 4.2],
  'qwen3-32b': [0.35, 1.4, 4.2],
} as const;
type Model = keyof typeof PRICES;
const MODELS = Object.keys(PRICES) as Model[];

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.addChannel({ type: ALIBABA, base_url: t.base, models: MODELS.join(',') });
});
beforeEach(() => t.relay.setBalance(500_000_000));
afterAll(() => t.close());

const cost = (model: Model, isThought: boolean, { input = 1000, output = 5000 } = {}): number => {
  const [price, plain, thought] = PRICES[model];
  return Math.round(input * price + output * (isThought ? thought : plain));
};

const TOLD = { prompt_tokens: 1000, completion_tokens: 5000, total_tokens: 6000 };
const withThoughts = (reasoning_tokens: number) => ({
  ...TOLD,
  completion_tokens_details: { reasoning_tokens },
});

/** As DashScope answers a chat, whole or streamed; of a stream only what `usage` says is told of it. */
function chatAnswer(said: JsonObject, usage: JsonObject | null, stream: boolean): Response {
  if (!stream) {
    const message = { role: 'assistant', ...said };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage });
  }
  const chunk = (choices: JsonObject[], more: JsonObject = {}): JsonObject => {
    return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more };
  };
  const deltas = [
    { role: 'assistant', content: null },
    ...Object.entries(said).map(([name, text]) => ({ [name]: text })),
  ];
  return eventStream([
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    ...(usage ? [chunk([], { usage })] : []),
    '[DONE]',
  ]);
}

async function pay(path: string, body: JsonObject) {
  const response = await t.post(path, body);
  expect(response.status).toBe(200);
  await response.text();
  return t.row();
}

const messages = [{ role: 'user', content: 'why?' }];
const chat = (model: Model, more: JsonObject) => pay('/v1/chat/completions', { model, messages, ...more });
const THOUGHT = { reasoning_content: 'Hm, let me see.', content: 'Because.' };

describe('a call that thinks', () => {
  it.each(MODELS)('costs what its vendor asks for all of its output: %s', async (model) => {
    for (const stream of [false, true]) {
      t.answers(() => chatAnswer(THOUGHT, withThoughts(4500), stream));
      const row = await chat(model, { stream, enable_thinking: true });
      expect(row.quota).toBe(cost(model, true));
      expect(row.other).toMatchObject({ thinking_price: true, reasoning_tokens: 4500 });
      t.answers(() => chatAnswer({ content: 'Because.' }, withThoughts(0), stream));
      const plain = await chat(model, { stream, enable_thinking: false });
      expect(plain.quota).toBe(cost(model, false));
      expect(plain.other).not.toHaveProperty('thinking_price');
    }
  });

  it('is seen to where nothing tells of it, whichever wire its caller speaks', async () => {
    const model = 'qwen-plus';
    const input = [{ role: 'user', content: 'why?' }];
    for (const stream of [false, true]) {
      const ways: [string, JsonObject][] = [
        ['/v1/chat/completions', { model, messages, stream }],
        ['/v1/responses', { model, input, stream }],
        [
          `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
          { contents: [{ role: 'user', parts: [{ text: 'why?' }] }] },
        ],
      ];
      for (const [path, body] of ways) {
        t.answers(() => chatAnswer(THOUGHT, TOLD, stream));
        expect((await pay(path, body)).quota, path).toBe(cost(model, true));
        t.answers(() => chatAnswer({ content: 'Because.' }, TOLD, stream));
        expect((await pay(path, body)).quota, path).toBe(cost(model, false));
      }
    }
  });

  it('is seen to in Messages, which tell no thoughts', async () => {
    const usage = { input_tokens: 1000, output_tokens: 5000 };
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const text = { type: 'text', text: 'Because.' };
    const whole = { id: 'm', type: 'message', role: 'assistant', model: 'qwen-plus' };
    const plain = (content: JsonObject[]) =>
      Response.json({ ...whole, content, stop_reason: 'end_turn', stop_sequence: null, usage });
    const streamed = (content: JsonObject[]) =>
      eventStream([
        {
          type: 'message_start',
          message: {
            ...whole,
            content: [],
            stop_reason: null,
            usage: { input_tokens: 1000, output_tokens: 1 },
          },
        },
        ...content.flatMap((block, index): JsonObject[] => [
          {
            type: 'content_block_start',
            index,
            content_block:
              block.type === 'text'
                ? { type: 'text', text: '' }
                : { type: 'thinking', thinking: '', signature: '' },
          },
          {
            type: 'content_block_delta',
            index,
            delta:
              block.type === 'text'
                ? { type: 'text_delta', text: 'Because.' }
                : { type: 'thinking_delta', thinking: 'Hm.' },
          },
          { type: 'content_block_stop', index },
        ]),
        { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
        { type: 'message_stop' },
      ]);
    for (const stream of [false, true]) {
      for (const [content, isThought] of [
        [[thinking, text], true],
        [[text], false],
      ] as const) {
        t.answers(() => (stream ? streamed([...content]) : plain([...content])));
        const row = await pay('/v1/messages', { model: 'qwen-plus', max_tokens: 8000, messages, stream });
        expect(t.lastSeen.path).toBe('/apps/anthropic/v1/messages');
        expect(row.quota).toBe(cost('qwen-plus', isThought));
      }
    }
  });

  it('costs as much where its usage is counted here', async () => {
    const rows = [];
    for (const said of [
      { content: 'so it goes '.repeat(400) },
      { reasoning_content: 'so it goes '.repeat(400) },
    ]) {
      t.answers(() => chatAnswer(said, null, true));
      rows.push(await chat('qwen-plus', { stream: true }));
    }
    const [plain, thought] = rows.map(({ quota, prompt_tokens, completion_tokens, other }) => {
      expect(other.usage_source).toBe('estimated');
      return [quota, prompt_tokens, completion_tokens] as const;
    });
    expect(plain?.[2]).toBe(thought?.[2]);
    const [input, output] = [plain?.[1], plain?.[2]];
    expect(plain?.[0]).toBe(cost('qwen-plus', false, { input, output }));
    expect(thought?.[0]).toBe(cost('qwen-plus', true, { input, output }));
  });
});

describe('what is held for a call', () => {
  const CAP = 10_000;
  const held = async (model: Model | 'told', more: JsonObject, stream = true): Promise<number> => {
    let amount = 0;
    t.answers(async () => {
      amount = (await t.relay.reservations())[0]?.amount ?? 0;
      return chatAnswer({ content: 'Because.' }, TOLD, stream);
    });
    await pay('/v1/chat/completions', { model, messages, stream, max_tokens: CAP, ...more });
    return amount;
  };

  it('is what its thoughts cost where it may think', async () => {
    for (const more of [{ enable_thinking: true }, { thinking_budget: 100 }, { reasoning_effort: 'high' }])
      expect(await held('qwen-plus', more)).toBeGreaterThan(CAP * 2);
    expect(await held('qwen3-32b', {})).toBeGreaterThan(CAP * 4.2);
  });

  it('is what its words cost where it is known to think nothing', async () => {
    for (const more of [{}, { enable_thinking: false }]) {
      const amount = await held('qwen-plus', more);
      expect(amount).toBeGreaterThan(CAP * 0.6);
      expect(amount).toBeLessThan(CAP);
    }
    expect(await held('qwen3-32b', { enable_thinking: false })).toBeLessThan(CAP * 2);
  });

  it('is what its thoughts cost where a channel makes it think', async () => {
    const param_override = { enable_thinking: true };
    await t.relay.addChannel({
      type: ALIBABA,
      base_url: t.base,
      models: 'told',
      model_mapping: { told: 'qwen-plus' },
      param_override,
    });
    await t.price({
      ModelRatio: { told: 0.2 },
      CompletionRatio: { told: 3 },
      ThinkingCompletionRatio: { told: 10 },
    });
    expect(await held('told', { enable_thinking: false })).toBeGreaterThan(CAP * 2);
  });
});
