import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import OpenAI from 'openai';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
let client: OpenAI;
beforeAll(async () => {
  t = await openOperations();
  client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
});
afterAll(() => t.close());

const VECTORS = [
  [0.5, -0.25],
  [0, 1],
];
const openaiAnswer = {
  object: 'list',
  data: VECTORS.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'theirs',
  usage: { prompt_tokens: 12, total_tokens: 12 },
  vendors_own: true,
};

/** Upstreams: channel type, the answer with two vectors, where it is asked and what. */
const UPSTREAMS = {
  openai: {
    type: 1,
    answer: openaiAnswer,
    path: () => '/v1/embeddings',
    body: (model: string): JsonObject => ({ model, input: ['a', 'b'], dimensions: 2 }),
  },
  gemini: {
    type: 24,
    answer: {
      embeddings: VECTORS.map((values) => ({ values })),
      usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 },
    },
    path: (model: string) => `/v1beta/models/${model}:batchEmbedContents`,
    body: (model: string): JsonObject => ({
      requests: ['a', 'b'].map((text) => ({
        model: `models/${model}`,
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    }),
  },
  cohere: {
    type: 34,
    answer: {
      id: '1',
      embeddings: { float: VECTORS },
      texts: ['a', 'b'],
      meta: { billed_units: { input_tokens: 12 } },
    },
    path: () => '/v2/embed',
    body: (model: string): JsonObject => ({
      model,
      texts: ['a', 'b'],
      input_type: 'search_document',
      embedding_types: ['float'],
      output_dimension: 2,
    }),
  },
  ollama: {
    type: 4,
    answer: { model: 'theirs', embeddings: VECTORS, prompt_eval_count: 12 },
    path: () => '/api/embed',
    body: (model: string): JsonObject => ({ model, input: ['a', 'b'], dimensions: 2 }),
  },
};
type Name = keyof typeof UPSTREAMS;
type Answer = (vectors: number[][]) => JsonObject;

const asOpenai = (model: string) => t.post('/v1/embeddings', { model, input: ['a', 'b'], dimensions: 2 });
const asGemini = (model: string) =>
  t.post(`/v1beta/models/${model}:batchEmbedContents`, {
    requests: ['a', 'b'].map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      outputDimensionality: 2,
    })),
  });

describe.each(Object.keys(UPSTREAMS) as Name[])('embeddings of an upstream of %s', (name) => {
  const { type, answer, path, body } = UPSTREAMS[name];

  it('come to a caller of OpenAI, and cost what was used', async () => {
    const model = await t.model(type);
    t.answers(answer);
    const response = await asOpenai(model);
    expect(await response.json()).toMatchObject({
      object: 'list',
      data: VECTORS.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      usage: { prompt_tokens: 12, total_tokens: 12 },
    });
    expect([t.lastSeen.path, t.lastSeen.body]).toEqual([path(model), body(model)]);
    expect(await t.row()).toMatchObject({
      quota: 12,
      prompt_tokens: 12,
      completion_tokens: 0,
      other: { usage_source: 'upstream', model_ratio: 1, group_ratio: 1 },
    });
  });

  it('come to a caller of Google', async () => {
    const model = await t.model(type);
    t.answers(answer);
    const { embeddings } = await (await asGemini(model)).json();
    expect(embeddings).toEqual(VECTORS.map((values) => ({ values })));
    expect([t.lastSeen.path, t.lastSeen.body]).toEqual([path(model), body(model)]);
    expect((await t.row()).quota).toBe(12);
  });
});

describe('embeddings', () => {
  it('pass as they come where both sides speak one dialect, unknown fields too', async () => {
    const model = await t.model(1, { model_mapping: '{"mapped":"theirs"}', named: 'mapped' });
    t.answers(openaiAnswer);
    const response = await t.post('/v1/embeddings', { model, input: 'a', own_field: { kept: true } });
    expect(await response.json()).toEqual(openaiAnswer);
    expect(t.lastSeen.body).toEqual({ model: 'theirs', input: 'a', own_field: { kept: true } });
    expect((await t.row()).other).toMatchObject({ is_model_mapped: true, upstream_model_name: 'theirs' });
  });

  it.each<[dialect: string, type: number, ask: typeof asOpenai, answer: Answer]>([
    [
      'OpenAI',
      1,
      asOpenai,
      (vectors) => ({
        ...openaiAnswer,
        data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      }),
    ],
    [
      'Google',
      24,
      asGemini,
      (vectors) => ({ ...UPSTREAMS.gemini.answer, embeddings: vectors.map((values) => ({ values })) }),
    ],
  ])('pass without that their numbers are parsed: %s', async (_, type, ask, answer) => {
    const model = await t.model(type);
    const vector = Array.from({ length: 2_000 }, (_, n) => (n - 1_000) * 1.5e-7);
    const told = JSON.stringify(answer([vector, vector]), null, 1);
    t.answers(() => new Response(told, { headers: { 'content-type': 'application/json' } }));
    const parse = spyOn(JSON, 'parse');
    const text = await (await ask(model)).text();
    const longest = Math.max(...parse.mock.calls.map(([given]) => given.length));
    parse.mockRestore();
    expect(text).toBe(told);
    expect(longest).toBeLessThan(told.length / 4);
    expect(await t.row()).toMatchObject({ quota: 12, other: { usage_source: 'upstream' } });
  });

  it('that are far longer in the words of another wire are refused, and no channel is to blame', async () => {
    // The model stands with each text there.
    const model_mapping = JSON.stringify({ long: 'x'.repeat(1_200) });
    const model = await t.model(24, { named: 'long', model_mapping });
    const before = t.seen.length;
    for (let calls = 0; calls <= limits.failuresInARow; calls++) {
      const answer = await t.post('/v1/embeddings', { model, input: Array(4_096).fill('a') });
      expect([answer.status, (await answer.json()).error.code]).toEqual([413, 'body_too_large']);
    }
    expect(t.seen.length).toBe(before);
    t.answers({ embeddings: [{ values: [1] }] });
    expect((await t.post('/v1/embeddings', { model, input: 'a' })).status).toBe(200);
    await t.row();
  });

  it('of one content are asked by a call of their own', async () => {
    const model = await t.model(24);
    t.answers({ embedding: { values: [1, 2] } });
    const content = { parts: [{ text: 'hello world' }] };
    const response = await t.post(`/v1beta/models/${model}:embedContent`, {
      content,
      taskType: 'CLUSTERING',
    });
    expect(await response.json()).toEqual({ embedding: { values: [1, 2] } });
    expect(t.lastSeen.path).toBe(`/v1beta/models/${model}:embedContent`);
    expect(t.lastSeen.body).toEqual({ content, taskType: 'CLUSTERING' });
    await t.row();
    const other = await t.model(1);
    t.answers({ data: [{ embedding: [1, 2], index: 0 }], usage: { prompt_tokens: 2, total_tokens: 2 } });
    const converted = await t.post(`/v1beta/models/${other}:embedContent`, { content });
    expect(await converted.json()).toEqual({ embedding: { values: [1, 2] } });
    expect(t.lastSeen.body).toEqual({ model: other, input: 'hello world' });
    expect((await t.row()).quota).toBe(2);
  });

  it('whose upstream counts nothing are counted here, and the caller is told the count', async () => {
    const model = await t.model(24, { named: 'text-embedding-004' });
    t.answers({ embeddings: [{ values: [1] }] });
    const answer = await (await t.post('/v1/embeddings', { model, input: 'The quick brown fox' })).json();
    const row = await t.row();
    expect(row.quota).toBeGreaterThan(2);
    expect(row.quota).toBeLessThan(10);
    expect(row).toMatchObject({ prompt_tokens: row.quota, other: { usage_source: 'estimated' } });
    expect(answer.usage).toEqual({ prompt_tokens: row.quota, total_tokens: row.quota });
  });

  it('may be asked for as numbers of tokens, which only pass to the same wire', async () => {
    const model = await t.model(1);
    t.answers({ ...openaiAnswer, usage: undefined });
    const ok = await t.post('/v1/embeddings', { model, input: [[1, 2, 3], [4]] });
    expect(ok.status).toBe(200);
    expect((await t.row()).quota).toBe(4);
    const other = await t.model(34);
    const before = t.seen.length;
    const refused = await t.post('/v1/embeddings', { model: other, input: [[1, 2, 3]] });
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'input[0]']);
    expect(t.seen.length).toBe(before);
    expect((await t.row()).quota).toBe(0);
  });

  it.each([
    [{}, 'input'],
    [{ input: [] }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: ['a', 7] }, 'input[1]'],
    [{ input: 'a', dimensions: 0 }, 'dimensions'],
    [{ input: 'a', dimensions: 1.5 }, 'dimensions'],
    [{ input: Array.from({ length: 4097 }, () => 'a') }, 'input'],
    [{ input: 'a', model: '' }, 'model'],
  ])('refuse %p, naming the field', async (body, param) => {
    const refused = await t.post('/v1/embeddings', { model: 'gpt-4o', ...body } as JsonObject);
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, param]);
  });

  it('are refused before any charge where no provider serves them', async () => {
    const model = await t.model(43);
    const before = (await t.relay.logs()).length;
    const refused = await t.post('/v1/embeddings', { model, input: 'a' });
    expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'operation_not_supported']);
    expect((await t.relay.logs()).length).toBe(before);
  });

  it('fail in the dialect of the caller, cost nothing, and are tried elsewhere', async () => {
    const model = await t.model(24, { named: 'twice' });
    await t.model(1, { named: 'twice', priority: -1 });
    t.answers(({ path }) =>
      path.startsWith('/v1beta')
        ? Response.json({ error: { code: 500, message: 'no', status: 'INTERNAL' } }, { status: 500 })
        : Response.json(openaiAnswer),
    );
    expect((await (await asGemini(model)).json()).embeddings).toHaveLength(2);
    expect((await t.row()).other.admin_info.use_channel).toHaveLength(2);
    t.answers(() => Response.json({ message: 'bad input' }, { status: 400 }));
    const refused = await asGemini(model);
    expect(refused.status).toBe(400);
    expect((await refused.json()).error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    expect((await t.row()).quota).toBe(0);
  });

  it('of a fixed price cost that a call', async () => {
    const model = await t.model(1);
    await t.price({ ModelPrice: { [model]: 0.002 } });
    t.answers(openaiAnswer);
    await asOpenai(model);
    expect(await t.row()).toMatchObject({ quota: 1000, other: { model_price: 0.002 } });
  });
});

describe('films that are embedded', () => {
  const FILM = { inlineData: { mimeType: 'video/mp4', data: Buffer.alloc(600).toString('base64') } };
  const COUNTED = {
    promptTokenCount: 2112,
    totalTokenCount: 2112,
    promptTokensDetails: [{ modality: 'VIDEO', tokenCount: 2112 }],
  };

  it.each([
    ['are charged as films by what the upstream told', COUNTED, 2112],
    ['are charged as films by what they are held as where it told nothing', undefined, null],
  ])('%s', async (_, usageMetadata, tokens) => {
    const model = await t.model(24, { named: 'gemini-embedding-2' });
    await t.relay.setBalance(1_000_000_000);
    t.answers({ embedding: { values: [0, 1] }, ...(usageMetadata && { usageMetadata }) });
    const body = { content: { parts: [FILM] } };
    expect((await t.post(`/v1beta/models/${model}:embedContent`, body)).status).toBe(200);
    const { quota, other, prompt_tokens: prompt } = await t.row();
    const films = tokens ?? Number(other.video_input);
    expect(films).toBeGreaterThan(0);
    // $12 a million, where text is $0.20.
    expect(other).toMatchObject({ video_input: films, video_ratio: 60 });
    expect(quota).toBe(prompt - films + films * 60);
  });

  it.each(['promptTokensDetails', 'promptTokenDetails'])(
    'are charged as films, as sounds or as pictures by what is told of kinds in `%s`',
    async (field) => {
      const model = await t.model(24, { named: 'gemini-embedding-2' });
      await t.relay.setBalance(1_000_000_000);
      // Films cost sixty times what text does, pictures two and a quarter, sounds three times here.
      for (const [modality, units] of [
        ['VIDEO', 60_000],
        ['AUDIO', 3_000],
        ['IMAGE', 2_250],
      ] as const) {
        const told = { promptTokenCount: 1_000, [field]: [{ modality, tokenCount: 1_000 }] };
        t.answers({ embedding: { values: [0, 1] }, usageMetadata: told });
        const body = { content: { parts: [FILM] } };
        expect((await t.post(`/v1beta/models/${model}:embedContent`, body)).status).toBe(200);
        expect((await t.row()).quota).toBe(units);
      }
    },
  );

  it('are held as films', async () => {
    const model = await t.model(24, { named: 'gemini-embedding-2' });
    // What a film of two seconds would cost as text.
    await t.relay.setBalance(100);
    const asked = t.seen.length;
    const refused = await t.post(`/v1beta/models/${model}:embedContent`, { content: { parts: [FILM] } });
    expect([refused.status, t.seen.length]).toEqual([403, asked]);
  });
});

describe('what is embedded and told as so many tokens of no kind', () => {
  const film = { inlineData: { mimeType: 'video/mp4', data: Buffer.alloc(60_000).toString('base64') } };
  const unnamed = { fileData: { fileUri: 'https://example.com/somewhere' } };
  const sound = { inlineData: { mimeType: 'audio/aac', data: Buffer.alloc(60_000, 1).toString('base64') } };
  const picture = { inlineData: { mimeType: 'image/png', data: Buffer.alloc(600).toString('base64') } };
  const text = { text: 'What is to be seen here?' };

  it.each([
    ['a film', [film], { video_input: 1_000 }, 60],
    ['a film with a text', [text, film], { video_input: 1_000 }, 60],
    ['a file that may be one', [unnamed], { video_input: 1_000 }, 60],
    ['a sound of unknown length', [sound], { audio_input: 1_000 }, 3],
    ['a picture', [picture], { image_input: 1_000 }, 2.25],
    ['a text', [text], {}, 1],
  ])('is charged as what was sent: %s', async (_, parts, kinds, times) => {
    const model = await t.model(24, { named: 'gemini-embedding-2' });
    await t.relay.setBalance(1_000_000_000);
    t.answers({ embedding: { values: [0, 1] }, usageMetadata: { promptTokenCount: 1_000 } });
    const answer = await t.post(`/v1beta/models/${model}:embedContent`, { content: { parts } });
    expect(answer.status).toBe(200);
    const { quota, other, prompt_tokens: prompt } = await t.row();
    expect(other).toMatchObject({ ...kinds, usage_source: 'upstream' });
    expect([prompt, quota]).toEqual([1_000, 1_000 * times]);
  });

  it('is text where there is more of it than can be anything else', async () => {
    const model = await t.model(24, { named: 'gemini-embedding-2' });
    await t.relay.setBalance(1_000_000_000);
    const told = { promptTokenCount: 20_000 };
    t.answers({ embeddings: [{ values: [0] }, { values: [1] }], usageMetadata: told });
    const requests = [[film], [text]].map((parts) => ({ model: `models/${model}`, content: { parts } }));
    expect((await t.post(`/v1beta/models/${model}:batchEmbedContents`, { requests })).status).toBe(200);
    // No more than a context of it is the film.
    expect((await t.row()).other).toMatchObject({ video_input: 8_192 });
  });
});

describe('what an upstream has no word for', () => {
  it('is left out, and named to the caller and in the log', async () => {
    const model = await t.model(1);
    t.answers({ data: [{ embedding: [1], index: 0 }], usage: { prompt_tokens: 1, total_tokens: 1 } });
    const response = await t.post(`/v1beta/models/${model}:embedContent`, {
      content: { parts: [{ text: 'a' }] },
      taskType: 'CLUSTERING',
      outputDimensionality: 1,
      ownField: 1,
      'two\nlines': 1,
    });
    expect(t.lastSeen.body).toEqual({ model, input: 'a', dimensions: 1 });
    expect(response.headers.get('x-gateway-lost')).toBe('ownField, part, taskType');
    expect((await t.row()).other).toMatchObject({
      lost: ['ownField', 'part', 'taskType'],
      admin_info: { converted_to: 'openai-plain' },
    });
  });
});

describe("OpenAI's client", () => {
  it('gets the same vectors from every upstream, as base64 by default', async () => {
    for (const name of Object.keys(UPSTREAMS) as Name[]) {
      const model = await t.model(UPSTREAMS[name].type);
      t.answers(({ body }) =>
        name === 'openai' && body.encoding_format === 'base64'
          ? Response.json({ ...openaiAnswer, data: openaiAnswer.data.map(packed) })
          : Response.json(UPSTREAMS[name].answer),
      );
      const answer = await client.embeddings.create({ model, input: ['a', 'b'], dimensions: 2 });
      expect(answer.data.map(({ embedding }) => [...embedding])).toEqual(VECTORS);
      expect(answer.usage.prompt_tokens).toBe(12);
      await t.row();
    }
  });
});

const packed = ({ embedding, ...rest }: (typeof openaiAnswer.data)[number]) => ({
  ...rest,
  embedding: Buffer.from(new Float32Array(embedding).buffer).toString('base64'),
});
