/**
 * Google's search beside a caller's own functions, as Codex brings both with each call. Gemini's API demands a word for that
 * from Gemini 3 on ("Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function
 * calling") and tells each search as parts of the answer (ai.google.dev, Tool combination); Vertex takes both and does not
 * know the word; older models take no such thing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectOf } from '../../src/dialects/fields.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const FLASH = 'gemini-3-flash-preview';
const OLDER = 'gemini-2.5-pro';
const RESOLD = 'gemini-3.6-flash';
const AT_VERTEX = 'gemini-3.1-pro-preview';
/** Quota units of one search, by the default prices. */
const SEARCH = 7_000;

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  // The vendors' own names stay in the address: the mock stands in the way as a proxy.
  const setting = JSON.stringify({ proxy: t.base });
  const google = { type: 24, base_url: 'http://generativelanguage.googleapis.com', setting };
  await t.relay.addChannel({ ...google, models: [FLASH, OLDER].join() });
  await t.relay.addChannel({ type: 24, base_url: t.base, models: RESOLD });
  const base_url = 'http://aiplatform.googleapis.com';
  await t.relay.addChannel({ type: 41, base_url, setting, key: 'express-key', models: AT_VERTEX });
  await t.relay.setBalance(500_000_000);
});
afterAll(() => t.close());

const SAID = [{ role: 'user', content: 'How is it?' }];
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const CALLERS: Record<string, JsonObject> = {
  '/v1/responses': {
    input: 'How is it?',
    tools: [
      { type: 'function', name: 'weather', description: 'd', parameters: SCHEMA },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
  },
  '/v1/messages': {
    messages: SAID,
    max_tokens: 900,
    tools: [
      { name: 'weather', description: 'd', input_schema: SCHEMA },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
    ],
  },
  '/v1/chat/completions': {
    messages: SAID,
    tools: [{ type: 'function', function: { name: 'weather', description: 'd', parameters: SCHEMA } }],
    web_search_options: {},
  },
};

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
const searched = (...queries: string[]): JsonObject[] => [
  {
    toolCall: { toolType: 'GOOGLE_SEARCH_WEB', args: { queries }, id: 'a7b3k9p2' },
    thoughtSignature: 'c2VhcmNoZWQ=',
  },
  {
    toolResponse: { toolType: 'GOOGLE_SEARCH_WEB', response: { search_suggestions: '<b>' }, id: 'a7b3k9p2' },
    thoughtSignature: 'Zm91bmQ=',
  },
];
const CALL = {
  functionCall: { name: 'weather', args: { city: 'Utqiagvik' }, id: 'm4q8z1v6' },
  thoughtSignature: 'Y2FsbGVk',
};

const frame = (parts: JsonObject[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  responseId: 'r1',
  usageMetadata: USAGE,
});
const END = { finishReason: 'STOP' };

async function ask(path: string, model: string, frames: readonly JsonObject[]) {
  const stream = frames.length > 1;
  t.answers(() => (stream ? eventStream(frames) : Response.json(frames[0])));
  const got = await t.post(path, { model, stream, ...CALLERS[path] });
  const said = await got.text();
  expect([got.status, said]).toEqual([200, said]);
  return { said, lost: got.headers.get('x-gateway-lost'), body: t.lastSeen.body, row: await t.row() };
}

const kinds = ({ tools }: JsonObject) =>
  (Array.isArray(tools) ? tools : []).flatMap((tool) => Object.keys(objectOf(tool) ?? {}));
const usesIn = (other: unknown) => objectOf(other)?.tool_uses;

describe.each(Object.keys(CALLERS))('of %s', (path) => {
  it('both go up with the word that asks for both', async () => {
    const { body, lost } = await ask(path, FLASH, [frame([{ text: 'ok' }], END)]);
    expect(kinds(body)).toEqual(['functionDeclarations', 'googleSearch']);
    expect(body.toolConfig).toEqual({ includeServerSideToolInvocations: true });
    expect(lost ?? '').not.toContain('googleSearch');
  });

  it('both go up to Vertex without it', async () => {
    const { body } = await ask(path, AT_VERTEX, [frame([{ text: 'ok' }], END)]);
    expect(kinds(body)).toEqual(['functionDeclarations', 'googleSearch']);
    expect(JSON.stringify(body)).not.toContain('includeServerSideToolInvocations');
  });

  it('the search stays behind where a model takes one of both', async () => {
    const { body, lost, row } = await ask(path, OLDER, [frame([{ text: 'ok' }], END)]);
    expect(kinds(body)).toEqual(['functionDeclarations']);
    expect(JSON.stringify(body)).not.toContain('includeServerSideToolInvocations');
    expect(lost).toContain('googleSearch');
    expect(usesIn(row.other)).toBeUndefined();
  });

  it.each<[string, JsonObject[]]>([
    ['whole', [frame([...searched('a', 'b'), { text: 'So. ' }, CALL], END)]],
    ['streamed', [frame(searched('a', 'b')), frame([{ text: 'So. ' }]), frame([CALL], END)]],
  ])('searches are paid for and shown as nobody’s calls: %s', async (_, frames) => {
    const { said, row } = await ask(path, FLASH, frames);
    expect(said).toContain('So. ');
    expect(said).toContain('m4q8z1v6');
    for (const hidden of ['a7b3k9p2', 'GOOGLE_SEARCH_WEB', 'search_suggestions']) {
      expect(said).not.toContain(hidden);
    }
    expect(usesIn(row.other)).toEqual([expect.objectContaining({ tool: 'google_search', count: 2 })]);
    expect(row.quota).toBeGreaterThanOrEqual(2 * SEARCH);
    expect(row.quota).toBeLessThan(3 * SEARCH);
  });
});

describe('searches told as parts', () => {
  const told = { groundingMetadata: { webSearchQueries: ['a', 'b'] }, ...END };
  it.each<[string, string, JsonObject[], number]>([
    [
      'count once where they are told as queries, too',
      FLASH,
      [frame([...searched('a', 'b'), CALL], told)],
      2,
    ],
    ['and so in a stream', FLASH, [frame(searched('a')), frame(searched('b')), frame([CALL], told)], 2],
    ['count beside queries that no part tells', FLASH, [frame([...searched('c'), CALL], told)], 3],
    ['count each where somebody else bills', RESOLD, [frame([...searched('a', 'a'), CALL], END)], 2],
    ['count once there where both tell them', RESOLD, [frame([...searched('a', 'b'), CALL], told)], 2],
    ['count where maps were asked', FLASH, [frame([asked('GOOGLE_MAPS', 'a', 'b'), CALL], END)], 2],
    [
      'count by pictures, too',
      FLASH,
      [frame([asked('GOOGLE_SEARCH_IMAGE', 'a'), ...searched('a'), CALL], END)],
      2,
    ],
  ])('%s', async (_, model, frames, count) => {
    const { row } = await ask('/v1/responses', model, frames);
    expect(usesIn(row.other)).toEqual([expect.objectContaining({ tool: 'google_search', count })]);
  });

  it('are none where pages were opened, or code was run', async () => {
    const opened = { toolCall: { toolType: 'URL_CONTEXT', args: { urls: ['https://a.example'] }, id: 'u' } };
    const { row } = await ask('/v1/responses', FLASH, [frame([opened, CALL], END)]);
    expect(usesIn(row.other)).toBeUndefined();
  });

  it('are asked for at Vertex without that word, whoever asks', async () => {
    t.answers(() => Response.json(frame([{ text: 'ok' }], END)));
    const got = await t.post(`/v1beta/models/${AT_VERTEX}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'How is it?' }] }],
      tools: [{ functionDeclarations: [{ name: 'weather' }] }, { googleSearch: {} }],
      toolConfig: {
        functionCallingConfig: { mode: 'ANY' },
        include_server_side_tool_invocations: true,
      },
    });
    expect(got.status).toBe(200);
    expect(t.lastSeen.body.toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } });
    await t.row();
  });

  it('are charged of a caller of Google’s own wire, who sees them', async () => {
    t.answers(() => Response.json(frame([...searched('a'), CALL], END)));
    const got = await t.post(`/v1beta/models/${FLASH}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text: 'How is it?' }] }],
      tools: [{ functionDeclarations: [{ name: 'weather' }] }, { google_search: {} }],
      tool_config: { include_server_side_tool_invocations: true },
    });
    expect(await got.text()).toContain('GOOGLE_SEARCH_WEB');
    expect(t.lastSeen.body.toolConfig).toEqual({ include_server_side_tool_invocations: true });
    expect(usesIn((await t.row()).other)).toEqual([
      expect.objectContaining({ tool: 'google_search', count: 1 }),
    ]);
  });
});

function asked(toolType: string, ...queries: string[]): JsonObject {
  return { toolCall: { toolType, args: { queries }, id: 'p' } };
}
