/** Answers that come in several calls, as Gemini 4's do: each reads again all that was thought and written before. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { GoogleGenAI } from '@google/genai';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type OperationSeen, type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
});
afterAll(() => t.close());

const THREE = { key: 'sk-1\nsk-2\nsk-3', multi_key_mode: 'random' };
/** A model that several accounts serve. */
async function several(type: number, name: { named?: string } = {}): Promise<string> {
  const named = await t.model(type, { ...THREE, ...name });
  await t.relay.addChannel({ type, base_url: t.base, models: named, ...THREE });
  return named;
}

const RICH = 50_000_000;
/** An account has this much, and all that is asked costs more, or not. */
const withBalance = async (quota: number, ask: () => Promise<Response>): Promise<number> => {
  await t.relay.setBalance(quota);
  const { status } = await ask();
  await t.relay.setBalance(RICH);
  return status;
};

describe("on Google's wire", () => {
  const HOP = 65_536;
  const PROMPT = 1_000;
  const tokenOf = (hop: number): string => `${'t'.repeat(2_000)}-${hop}`;
  const hopOf = ({ body }: OperationSeen): number =>
    body.continuationToken === undefined ? 0 : Number(String(body.continuationToken).split('-')[1]);

  /** Thinks for so many calls, and says something in each of the last two. */
  const hopFrame = (hop: number, hops: number): JsonObject => {
    const isLast = hop === hops - 1;
    const [candidatesTokenCount, thoughtsTokenCount] = isLast ? [500, 1_000] : [0, HOP];
    return {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text: hop < hops - 2 ? '' : `part ${hop};` }] },
          ...(isLast
            ? { finishReason: 'STOP' }
            : { finishReason: 'CONTINUATION', continuationToken: tokenOf(hop + 1) }),
        },
      ],
      usageMetadata: {
        promptTokenCount: PROMPT + hop * HOP,
        candidatesTokenCount,
        thoughtsTokenCount,
        totalTokenCount: PROMPT + hop * HOP + candidatesTokenCount + thoughtsTokenCount,
      },
    };
  };

  const ask = (model: string, more: JsonObject = {}, action = 'generateContent') =>
    t.post(`/v1beta/models/${model}:${action}`, {
      contents: [{ role: 'user', parts: [{ text: 'Go on.' }] }],
      generationConfig: { maxOutputTokens: 10 },
      ...more,
    });

  const keysUsed = (since: number) =>
    new Set(t.seen.slice(since).map(({ headers }) => headers.get('x-goog-api-key')));

  it.each(['streamed', 'whole'])(
    'goes on at the account that began it, for what is told: %s',
    async (way) => {
      const model = await several(24);
      await t.relay.setBalance(RICH);
      const hops = 6;
      t.answers((seen) => {
        const frame = hopFrame(hopOf(seen), hops);
        return seen.path.includes('stream') ? eventStream([frame]) : Response.json(frame);
      });
      const ai = new GoogleGenAI({ apiKey: t.relay.key, httpOptions: { baseUrl: t.relay.base } });
      const given = { model, contents: 'word '.repeat(PROMPT), config: { maxOutputTokens: 1_000_000 } };
      const before = t.seen.length;
      let text = '';
      if (way === 'streamed') {
        for await (const chunk of await ai.models.generateContentStream(given)) text += chunk.text ?? '';
      } else text = (await ai.models.generateContent(given)).text ?? '';
      expect(text).toBe('part 4;part 5;');
      expect(t.seen.slice(before).map(hopOf)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(keysUsed(before).size).toBe(1);
      await t.row();
      const rows = (await t.relay.logs()).slice(-hops);
      expect(rows.map((row) => [row.prompt_tokens, row.other.usage_suspect])).toEqual(
        rows.map((_, hop) => [PROMPT + hop * HOP, undefined]),
      );
    },
  );

  it.each(['streamGenerateContent?alt=sse', 'streamGenerateContent'])(
    'passes its frames as they came, and remembers each place: %s',
    async (action) => {
      const model = await several(24);
      await t.relay.setBalance(RICH);
      const said = (text: string, more: JsonObject = {}) => ({
        candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
      });
      const frames = [
        said('a'),
        said('', { continuationToken: 'place-1' }),
        said('b'),
        said('c', { finishReason: 'CONTINUATION', continuationToken: 'place-2' }),
      ];
      t.answers(() => eventStream(frames));
      const text = await (await ask(model, {}, action)).text();
      if (action.endsWith('sse')) expect(text).toBe(await eventStream(frames).text());
      else expect(JSON.parse(text)).toEqual(frames);
      const before = t.seen.length - 1;
      await t.row();
      t.answers(hopFrame(0, 1));
      for (const continuationToken of ['place-1', 'place-2', 'place-1', 'place-2']) {
        expect((await ask(model, { continuationToken })).status).toBe(200);
        expect(t.lastSeen.body.continuationToken).toBe(continuationToken);
        await t.row();
      }
      expect(keysUsed(before).size).toBe(1);
    },
  );

  it('goes on from the last place of a stream that broke off, though nothing was said yet', async () => {
    const model = await several(24);
    await t.relay.setBalance(RICH);
    const frame = {
      candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, continuationToken: 'kept' }],
      usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 400, totalTokenCount: 409 },
    };
    t.answers(() => eventStream([frame]));
    const before = t.seen.length;
    expect(await (await ask(model, {}, 'streamGenerateContent?alt=sse')).text()).toContain('"kept"');
    expect(await t.row()).toMatchObject({ completion_tokens: 400, other: { stream_end: 'upstream_cut' } });
    t.answers(hopFrame(0, 1));
    for (let n = 0; n < 4; n++) {
      await ask(model, { continuation_token: 'kept' });
      await t.row();
    }
    expect(keysUsed(before).size).toBe(1);
  });

  it('is held for what the call before told, and as a context where nobody remembers that', async () => {
    const model = await several(24);
    await t.relay.setBalance(RICH);
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 450_000 };
    const [candidate] = hopFrame(0, 2).candidates as JsonObject[];
    t.answers({ candidates: [candidate ?? {}], usageMetadata });
    await ask(model, { generationConfig: { maxOutputTokens: 450_000 } });
    await t.row();
    t.answers({ ...hopFrame(0, 1), usageMetadata: { promptTokenCount: 450_000, candidatesTokenCount: 5 } });
    const again = () => ask(model, { continuationToken: tokenOf(1) });
    expect(await withBalance(449_000, again)).toBe(403);
    expect(await withBalance(451_000, again)).toBe(200);
    expect(await t.row()).toMatchObject({ prompt_tokens: 450_000 });
    const unknown = () => ask(model, { continuationToken: 'of-nobody' });
    expect(await withBalance(1_048_000, unknown)).toBe(403);
    expect(await withBalance(1_050_000, unknown)).toBe(200);
    const row = await t.row();
    expect([row.prompt_tokens, row.other.usage_suspect]).toEqual([450_000, undefined]);
    // Somebody else's is nobody's.
    const stranger = await t.relay.api.createUser({ quota: 460_000 });
    const key = await t.relay.addToken({}, stranger);
    const asked = await t.post(
      `/v1beta/models/${model}:generateContent`,
      { contents: [{ parts: [{ text: 'Go on.' }] }], continuationToken: tokenOf(1) },
      { authorization: `Bearer ${key}` },
    );
    expect(asked.status).toBe(403);
  });

  it('is asked of other accounts once its own is gone', async () => {
    const model = await t.model(24);
    await t.relay.setBalance(RICH);
    t.answers(hopFrame(0, 2));
    await ask(model);
    await t.row();
    const [first] = (await t.relay.logs()).slice(-1).map((row) => row.channel_id);
    await t.relay.addChannel({ type: 24, base_url: t.base, models: model, key: 'sk-other' });
    await t.relay.root.put('/api/channel/', { id: first, status: 2 });
    t.answers(hopFrame(1, 2));
    expect((await ask(model, { continuationToken: tokenOf(1) })).status).toBe(200);
    expect(t.lastSeen.headers.get('x-goog-api-key')).toBe('sk-other');
    await t.row();
  });

  it('is refused by who knows no such token, without saying it', async () => {
    const model = await t.model(47);
    const refused = await ask(model, { continuationToken: tokenOf(1) });
    const text = await refused.text();
    expect(refused.status).toBe(400);
    expect(text).toContain("'continuationToken'");
    expect(text).not.toContain('ttt');
  });

  it.each([
    ['/v1/chat/completions', '"finish_reason":"length"'],
    ['/v1/messages', '"stop_reason":"max_tokens"'],
    ['/v1/responses', '"reason":"max_output_tokens"'],
  ])('has come to its limit for callers of other wires: %s', async (path, end) => {
    const model = await t.model(24);
    t.answers(hopFrame(0, 2));
    const said = [{ role: 'user', content: 'Hi' }];
    const body = path.endsWith('responses') ? { input: 'Hi' } : { messages: said, max_tokens: 10 };
    expect(await (await t.post(path, { model, ...body })).text()).toContain(end);
    await t.row();
  });

  it.each([
    ['http://generativelanguage.googleapis.com', 200],
    ["an operator's", 403],
  ])(
    'is held for what one call writes where Google ends it, and for its limit elsewhere: %s',
    async (address, status) => {
      const isGoogles = address.startsWith('http');
      const model = `gemini-4-argon-${status}`;
      await t.model(24, {
        named: model,
        ...(isGoogles && { base_url: address, setting: JSON.stringify({ proxy: t.base }) }),
      });
      t.answers(hopFrame(0, 1));
      const long = () => ask(model, { generationConfig: { maxOutputTokens: 1_000_000 } });
      expect(await withBalance(2 * HOP + 1_000, long)).toBe(status);
      if (status === 200) await t.row();
      expect(t.seen.at(-1)?.body.generationConfig).toEqual(
        status === 200 ? { maxOutputTokens: 1_000_000 } : expect.anything(),
      );
    },
  );
});

describe('at OpenRouter', () => {
  const sealed = (data: string) => [
    { type: 'reasoning.encrypted', data, format: 'google-gemini-v1', id: 'r1', index: 0 },
  ];
  const answered = (data: string, finish: string): JsonObject => ({
    id: 'gen-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: '', reasoning_details: sealed(data) },
        finish_reason: finish,
      },
    ],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 60_000,
      total_tokens: 60_009,
      completion_tokens_details: { reasoning_tokens: 59_990 },
    },
  });
  const streamed = (data: string, finish: string): Response => {
    const { usage } = answered(data, finish);
    const frame = (delta: JsonObject, more: JsonObject = {}) => ({
      id: 'gen-1',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, ...more }],
    });
    return eventStream([
      frame({ role: 'assistant', content: 'a' }),
      frame({ content: 'b' }),
      frame({ content: '', reasoning_details: sealed(data) }),
      frame({ content: '' }, { finish_reason: finish }),
      { id: 'gen-1', object: 'chat.completion.chunk', choices: [], usage: usage ?? null },
      '[DONE]',
    ]);
  };
  const ask = (model: string, said: readonly JsonObject[] = [], more: JsonObject = {}) =>
    t.post('/v1/chat/completions', {
      model,
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Think.' }, ...said],
      ...more,
    });
  const thought = (data: string): JsonObject => ({
    role: 'assistant',
    content: '',
    reasoning_details: sealed(data),
  });
  const keyUsed = () => t.lastSeen.headers.get('authorization');

  it.each([false, true])('goes on where it ended at its limit, streamed: %p', async (stream) => {
    const model = await several(20, { named: `google/gemini-4-argon-${stream}` });
    await t.relay.setBalance(RICH);
    const token = Buffer.from(`token-${stream}`).toString('base64');
    t.answers(() => (stream ? streamed(token, 'length') : Response.json(answered(token, 'length'))));
    await (await ask(model, [], { stream, max_tokens: 60_000 })).text();
    await t.row();
    const keeper = keyUsed();
    t.answers({ ...answered('bmV4dA==', 'stop'), usage: { prompt_tokens: 60_009, completion_tokens: 5 } });
    const again = () => ask(model, [thought(token)]);
    expect(await withBalance(59_000, again)).toBe(403);
    expect(await withBalance(61_000, again)).toBe(200);
    expect(await t.row()).toMatchObject({ prompt_tokens: 60_009 });
    for (let n = 0; n < 4; n++) {
      await ask(model, [thought(token), ...(n % 2 ? [{ role: 'user', content: 'Go on.' }] : [])]);
      expect(keyUsed()).toBe(keeper);
      await t.row();
    }
  });

  it('is held as a context where it must be one that nobody remembers, and not where it proves thoughts', async () => {
    const model = await several(20, { named: 'google/gemini-4-argon' });
    await t.relay.setBalance(RICH);
    t.answers(answered('cHJvb2Y=', 'tool_calls'));
    await ask(model, [], { max_tokens: 60_000 });
    await t.row();
    t.answers({ ...answered('bmV4dA==', 'stop'), usage: { prompt_tokens: 900, completion_tokens: 5 } });
    const history = [thought('cHJvb2Y='), { role: 'user', content: 'And now?' }];
    expect(await withBalance(100_000, () => ask(model, history))).toBe(200);
    await t.row();
    const token = [thought('b2Ygbm9ib2R5')];
    expect(await withBalance(1_048_000, () => ask(model, token))).toBe(403);
    expect(await withBalance(1_050_000, () => ask(model, token))).toBe(200);
    await t.row();
  });

  it.each([false, true])(
    'proves thoughts wherever a model answers in one call, streamed: %p',
    async (stream) => {
      const model = await several(20, { named: `google/gemini-3-pro-${stream}` });
      await t.relay.setBalance(RICH);
      t.answers(() =>
        stream ? streamed('cHJvb2Y=', 'length') : Response.json(answered('cHJvb2Y=', 'length')),
      );
      await (await ask(model, [], { stream, max_tokens: 60_000 })).text();
      await t.row();
      t.answers({ ...answered('bmV4dA==', 'stop'), usage: { prompt_tokens: 900, completion_tokens: 5 } });
      for (const more of [[{ role: 'user', content: 'Go on.' }], []]) {
        expect(await withBalance(10_000, () => ask(model, [thought('cHJvb2Y='), ...more]))).toBe(200);
        await t.row();
      }
    },
  );
});
