import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';
import { recording } from '../support/recording.ts';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
});
afterAll(() => t.close());

const QUESTION = { query: 'a capital', documents: ['Oslo is one', { text: 'Bergen is none' }] };

const JINA = {
  model: 'jina-reranker',
  results: [
    { index: 1, relevance_score: 0.9, document: { text: 'Bergen is none' } },
    { index: 0, relevance_score: 0.2, document: { text: 'Oslo is one' } },
  ],
  usage: { total_tokens: 31 },
};
const COHERE = {
  id: 'cohere-1',
  results: [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.2 },
  ],
  meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
};

describe('reranking', () => {
  it('passes as it comes where both sides speak Jina, and costs its tokens', async () => {
    const model = await t.model(38);
    t.answers(JINA);
    const asked = { model, ...QUESTION, top_n: 2, own_field: 1 };
    expect(await (await t.post('/v1/rerank', asked)).json()).toEqual(JINA);
    expect([t.lastSeen.path, t.lastSeen.body]).toEqual(['/v1/rerank', asked]);
    expect(await t.row()).toMatchObject({ quota: 31, prompt_tokens: 31, completion_tokens: 0 });
  });

  it("becomes Cohere's call and comes back, with the caller's documents and what was counted here", async () => {
    const model = await t.model(34);
    t.answers(COHERE);
    const response = await t.post('/v1/rerank', { model, ...QUESTION, top_n: 2, return_documents: true });
    const answer = await response.json();
    expect(t.lastSeen.path).toBe('/v2/rerank');
    expect(t.lastSeen.body).toEqual({
      model,
      query: 'a capital',
      documents: ['Oslo is one', 'Bergen is none'],
      top_n: 2,
    });
    const row = await t.row();
    expect(row.other.usage_source).toBe('estimated');
    expect(row.quota).toBeGreaterThan(5);
    expect(answer).toEqual({
      id: 'cohere-1',
      model,
      results: [
        { index: 1, relevance_score: 0.9, document: { text: 'Bergen is none' } },
        { index: 0, relevance_score: 0.2, document: { text: 'Oslo is one' } },
      ],
      usage: { prompt_tokens: row.quota, completion_tokens: 0, total_tokens: row.quota },
      meta: { billed_units: { search_units: 1 } },
    });
  });

  it("of Cohere's own recording gives its scores to callers of both shapes", async () => {
    const recorded = recording('cohere/cohere-reranking.1.json') ?? COHERE;
    const model = await t.model(34);
    t.answers(recorded);
    const own = await t.post('/v2/rerank', { model, ...QUESTION });
    expect(await own.json()).toEqual(recorded);
    await t.row();
    const { results } = await (await t.post('/v1/rerank', { model, ...QUESTION })).json();
    expect(results).toEqual(recorded.results);
    await t.row();
  });

  it("becomes Jina's call for a caller of Cohere", async () => {
    const model = await t.model(38);
    t.answers(JINA);
    const answer = await (await t.post('/v2/rerank', { model, ...QUESTION })).json();
    expect(t.lastSeen.body).toEqual({ model, ...QUESTION, return_documents: false });
    expect(answer).toEqual({
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.2 },
      ],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1, input_tokens: 31 } },
    });
    expect((await t.row()).quota).toBe(31);
  });

  it('reads the usage of other servers of the wire', async () => {
    const model = await t.model(40);
    t.answers({ results: [], meta: { tokens: { input_tokens: 21, output_tokens: 0 } } });
    await t.post('/v1/rerank', { model, ...QUESTION });
    expect(await t.row()).toMatchObject({ quota: 21, other: { usage_source: 'upstream' } });
  });

  it('of a price a search costs the searches that were made, at most those that can be', async () => {
    const model = await t.model(34);
    await t.price({ ModelPrice: { [model]: 0.002 } });
    const documents = Array.from({ length: 150 }, (_, i) => `document ${i}`);
    const searches = async (search_units: number) => {
      t.answers({ ...COHERE, meta: { billed_units: { search_units } } });
      await t.post('/v1/rerank', { model, query: 'q', documents });
      return (await t.row()).quota;
    };
    expect(await searches(2)).toBe(2000);
    expect(await searches(1)).toBe(1000);
    expect(await searches(9)).toBe(2000);
  });

  it('of a price a search costs one where something was found, though none is told', async () => {
    for (const type of [1, 40]) {
      const model = await t.model(type);
      await t.price({ ModelPrice: { [model]: 0.002 } });
      const ask = async (results: JsonObject[]) => {
        const tokens = { input_tokens: 59, output_tokens: 0 };
        t.answers({
          results,
          meta: { billed_units: { ...tokens, search_units: 0, classifications: 0 }, tokens },
        });
        await t.post('/v1/rerank', { model, ...QUESTION });
        return (await t.row()).quota;
      };
      expect(await ask([{ index: 0, relevance_score: 0.5 }])).toBe(1000);
      expect(await ask([])).toBe(0);
    }
  });

  describe('of a price a search', () => {
    /** Told so many, of a hundred documents. */
    async function searches(type: number, told: number, asked: JsonObject): Promise<number> {
      const model = await t.model(type);
      await t.price({ ModelPrice: { [model]: 0.002 } });
      await t.relay.setBalance(10_000_000);
      t.answers({ ...COHERE, meta: { billed_units: { search_units: told } } });
      const answered = await t.post('/v1/rerank', { model, query: 'q', ...asked });
      expect(answered.status).toBe(200);
      return (await t.row()).quota / 1000;
    }
    const many = (document: JsonObject | string) => Array.from({ length: 100 }, () => document);
    const LONG = 'word '.repeat(1_000);

    it.each<[string, asked: JsonObject, most: number]>([
      ['long documents', { documents: many(LONG) }, 11],
      [
        'long fields that are to be ranked',
        { rank_fields: ['body'], documents: many({ text: 'x', body: LONG }) },
        11,
      ],
      [
        'texts of servers that rank nothing else',
        { rank_fields: ['id'], documents: many({ text: LONG, id: 'x' }) },
        11,
      ],
      ['fields that nobody names', { documents: many({ text: 'x', body: LONG }) }, 1],
      ['a long query in each piece', { query: LONG, documents: many('1'.repeat(970)) }, 2],
      ['short documents', { query: LONG, documents: many('x') }, 1],
    ])('costs those that are told of %s, and no more than can be', async (_, asked, most) => {
      expect(await searches(1, most, asked)).toBe(most);
      expect(await searches(1, 1_000, asked)).toBe(most);
    });

    it('is held for with the query in each piece', async () => {
      const model = await t.model(1);
      await t.price({ ModelPrice: { [model]: 0.002 } });
      await t.relay.setBalance(1_500);
      const documents = many('1'.repeat(970));
      expect((await t.post('/v1/rerank', { model, query: LONG, documents })).status).toBe(403);
      t.answers(COHERE);
      expect((await t.post('/v1/rerank', { model, query: 'q', documents })).status).toBe(200);
      await t.row();
      await t.relay.setBalance(10_000_000);
    });
  });

  it('counts the fields that are to be ranked as tokens where none are told', async () => {
    const documents = Array.from({ length: 5 }, () => ({ text: 'x', body: 'word '.repeat(1_000) }));
    for (const type of [1, 34]) {
      const model = await t.model(type);
      t.answers(COHERE);
      await t.post('/v1/rerank', { model, query: 'q', rank_fields: ['body'], documents });
      expect((await t.row()).quota).toBeWithin(5_000, 5_200);
    }
  });

  it('writes the fields that are to be ranked to wires without a word for them', async () => {
    const documents = [{ text: 'x', title: 'Oslo', year: 1048, gone: null }, 'Bergen', { text: 'y' }];
    const asked = { query: 'q', rank_fields: ['title', 'year', 'gone'], documents, return_documents: true };
    const model = await t.model(34);
    t.answers({ ...COHERE, results: [{ index: 0, relevance_score: 0.9 }] });
    const answer = await (await t.post('/v1/rerank', { model, ...asked })).json();
    await t.row();
    expect(t.lastSeen.body).toEqual({
      model,
      query: 'q',
      documents: ['title: Oslo\nyear: 1048', 'Bergen', ''],
    });
    expect(answer.results).toEqual([{ index: 0, relevance_score: 0.9, document: documents[0] }]);
  });

  it('costs what was read once, though it is told as written too', async () => {
    const model = await t.model(47);
    const { results } = JINA;
    // Xinference's own count.
    t.answers({
      id: 'x',
      results,
      meta: { billed_units: null, tokens: { input_tokens: 31, output_tokens: 31 } },
    });
    await (await t.post('/v1/rerank', { model, ...QUESTION })).text();
    expect(await t.row()).toMatchObject({ quota: 31, prompt_tokens: 31, completion_tokens: 0 });
  });

  it("reads Voyage's answer, and tells it in Jina's words", async () => {
    const model = await t.model(1);
    const data = [
      { relevance_score: 0.9, index: 1 },
      { relevance_score: 0.2, index: 0, document: 'Oslo is one' },
    ];
    const told = { object: 'list', data, model, usage: { total_tokens: 31 } };
    t.answers(told);
    const { data: results, ...rest } = told;
    expect(await (await t.post('/v1/rerank', { model, ...QUESTION })).json()).toEqual({ ...rest, results });
    expect((await t.row()).quota).toBe(31);
    expect(await (await t.post('/v2/rerank', { model, ...QUESTION })).json()).toMatchObject({
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.2 },
      ],
    });
    expect((await t.row()).quota).toBe(31);
  });

  it.each([
    [{ query: 'q', documents: ['a'], rank_fields: 'text' }, 'rank_fields'],
    [{ query: 'q', documents: ['a'], rank_fields: [7] }, 'rank_fields[0]'],
    [{ documents: ['a'] }, 'query'],
    [{ query: 'q' }, 'documents'],
    [{ query: 'q', documents: [] }, 'documents'],
    [{ query: 'q', documents: 'a' }, 'documents'],
    [{ query: 'q', documents: [7] }, 'documents[0]'],
    [{ query: 'q', documents: ['a'], top_n: -1 }, 'top_n'],
    [{ query: 'q', documents: ['a'], return_documents: 'yes' }, 'return_documents'],
  ])('refuses %p, naming the field', async (body, param) => {
    const refused = await t.post('/v1/rerank', { model: 'gpt-4o', ...body } as JsonObject);
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, param]);
  });

  it('says errors as the caller knows them', async () => {
    const model = await t.model(34);
    t.answers(() => Response.json({ message: 'too many documents' }, { status: 400 }));
    const jina = await t.post('/v1/rerank', { model, ...QUESTION });
    expect((await jina.json()).error.message).toContain('too many documents');
    await t.row();
    const cohere = await t.post('/v2/rerank', { model, ...QUESTION });
    expect([cohere.status, (await cohere.json()).message]).toEqual([
      400,
      expect.stringContaining('too many documents'),
    ]);
    expect((await t.row()).quota).toBe(0);
  });
});
