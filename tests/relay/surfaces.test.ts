/** What clients of each dialect see beside the content: keys, errors, framings, lists of models. */
import { afterAll, beforeAll, describe, expect, it, mock, spyOn } from 'bun:test';
import { CALL_COST } from '../support/relay.ts';
import { eventsOf, SURFACES } from '../support/surfaces.ts';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import type { Wire } from '../support/wires.ts';

let t: WireRelay;
/** Everything that the process logged or printed. */
let printed = '';
beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    spyOn(stream, 'write').mockImplementation((chunk: string | Uint8Array) => {
      printed += chunk;
      return true;
    });
  }
  t = await openWireRelay({ LOG_LEVEL: 'info' });
  await t.relay.set({ RetryTimes: 0 });
});
afterAll(async () => {
  mock.restore();
  await t.close();
});

const names = Object.keys(SURFACES);
/** A wire that each surface is not. */
const FOREIGN: Readonly<Record<string, Wire>> = {
  'openai-chat': 'messages',
  'openai-responses': 'generateContent',
  'anthropic-messages': 'chat',
  gemini: 'messages',
};
const foreign = (name: string): Wire => FOREIGN[name] ?? 'chat';

/** How each dialect words an error of this status and code. */
const ERRORS: Readonly<Record<string, (status: number, code: string) => unknown>> = {
  'openai-chat': (status, code) => ({
    error: { code, type: openaiType(status), message: expect.any(String) },
  }),
  'openai-responses': (status, code) => ({
    error: { code, type: openaiType(status), message: expect.any(String) },
  }),
  'anthropic-messages': (status) => ({
    type: 'error',
    error: { type: anthropicType(status), message: expect.any(String) },
  }),
  gemini: (status) => ({
    error: { code: status, status: geminiWord(status), message: expect.any(String) },
  }),
};
const openaiType = (status: number) =>
  ({ 401: 'authentication_error', 429: 'rate_limit_error', 502: 'server_error', 503: 'server_error' })[
    status
  ] ?? 'invalid_request_error';
const anthropicType = (status: number) =>
  ({
    401: 'authentication_error',
    404: 'not_found_error',
    429: 'rate_limit_error',
    502: 'api_error',
    503: 'overloaded_error',
  })[status] ?? 'invalid_request_error';
const geminiWord = (status: number) =>
  ({
    401: 'UNAUTHENTICATED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    502: 'INTERNAL',
    503: 'UNAVAILABLE',
  })[status] ?? 'INVALID_ARGUMENT';

const expectError = async (name: string, response: Response, status: number, code: string) => {
  expect(response.status).toBe(status);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject(ERRORS[name]?.(status, code) ?? {});
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  return text;
};

describe.each(names)('an error for a caller of %s', (name) => {
  it('is worded as his service words it', async () => {
    await expectError(name, await t.ask(name, 'chat', { key: 'sk-wrong' }), 401, 'invalid_api_key');
    await expectError(name, await t.ask(name, 'chat', { model: 'nobody' }), 404, 'model_not_found');
  });

  it.each([
    [400, 400, 'upstream_rejected'],
    [429, 429, 'upstream_busy'],
    [500, 502, 'upstream_error'],
    [401, 502, 'upstream_auth'],
  ])('of an upstream of another dialect with status %p has status %p', async (given, status, code) => {
    for (const stream of [false, true]) {
      t.wires.faults.push({ status: given });
      const response = await t.ask(name, foreign(name), { stream });
      const isOpenAiCode = foreign(name) === 'chat' && given === 400;
      const told = await expectError(name, response, status, isOpenAiCode ? 'bad_thing' : code);
      if (given === 429) expect(response.headers.get('retry-after')).toBe('7');
      if (given === 400) expect(told).toContain('says 400');
      expect(await t.row()).toMatchObject({ type: 6, quota: 0 });
    }
  });

  it('ends a stream that its upstream broke off, and what came is charged', async () => {
    t.wires.faults.push('cut');
    const text = await (await t.ask(name, foreign(name), { stream: true })).text();
    const last = eventsOf(text).at(-1);
    expect(JSON.stringify(last)).toContain('broke off');
    expect(text).not.toContain('[DONE]');
    for (const end of ['message_stop', 'response.completed', '"finishReason"']) {
      expect(text).not.toContain(end);
    }
    const row = await t.row();
    expect(row.other.stream_end).toBe('upstream_cut');
    expect(row.quota).toBeGreaterThan(0);
  });
});

it.each(['tencent', 'minimax'] as const)(
  'an error of %s inside a good answer fails the call',
  async (wire) => {
    for (const stream of [false, true]) {
      t.wires.faults.push('error');
      const response = await t.ask('openai-responses', wire, { stream });
      await expectError('openai-responses', response, 429, 'upstream_busy');
      expect(await t.row()).toMatchObject({ type: 6, quota: 0 });
    }
  },
);

it('an answer without usage is counted from what was said', async () => {
  for (const stream of [false, true]) {
    t.wires.faults.push('no-usage');
    const answer = await t.read(
      'anthropic-messages',
      await t.ask('anthropic-messages', 'chat', { stream }),
      stream,
    );
    const row = await t.row();
    expect(row.other.usage_source).toBe('estimated');
    // The caller is told what he is charged for.
    expect([answer.prompt, answer.completion]).toEqual([row.prompt_tokens, row.completion_tokens]);
    // "hm", "Hello wörld"
    expect(row.completion_tokens).toBeGreaterThanOrEqual(4);
    expect(row.completion_tokens).toBeLessThan(8);
  }
});

it('the cost of a converted stream is told before its end', async () => {
  const headers = { 'x-include-cost': '1' };
  const text = await (await t.ask('anthropic-messages', 'chat', { stream: true, headers })).text();
  const cost = text.indexOf(`: cost=${CALL_COST}\n\n`);
  expect(cost).toBeGreaterThan(text.indexOf('wörld'));
  expect(cost).toBeLessThan(text.indexOf('message_stop'));
  await t.row();
});

it('clients of the Messages wire find the id of their request where they look for it', async () => {
  const answer = await t.ask('anthropic-messages', 'chat');
  expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id'));
  await t.row();
  const refused = await t.ask('anthropic-messages', 'chat', { key: 'sk-wrong' });
  expect(refused.headers.get('request-id')).toBe(refused.headers.get('x-request-id'));
});

// ---- Google's wire -------------------------------------------------------------------------------------------------

const generate = (model: string, action: string, init: { query?: string; key?: string; ask?: string } = {}) =>
  fetch(`${t.relay.base}/v1beta/models/${model}:${action}${init.query ?? ''}`, {
    method: 'POST',
    headers: init.key === '' ? {} : { 'x-goog-api-key': init.key ?? t.relay.key },
    body: JSON.stringify({ contents: [{ parts: [{ text: init.ask ?? 'Say hello.' }] }] }),
  });

describe("Google's stream", () => {
  it.each(['chat', 'generateContent'] as const)('is one JSON array on the wire %s', async (wire) => {
    const response = await generate(`model-${wire}`, 'streamGenerateContent');
    expect(response.headers.get('content-type')).toBe('application/json');
    const frames = await response.json();
    expect(frames.length).toBeGreaterThan(1);
    const said = frames.flatMap((frame: { candidates: { content?: { parts?: unknown[] } }[] }) =>
      frame.candidates.flatMap((candidate) => candidate.content?.parts ?? []),
    );
    expect(JSON.stringify(said)).toContain('wörld');
    expect(frames.at(-1).candidates[0].finishReason).toBe('STOP');
    expect((await t.row()).quota).toBe(CALL_COST);
  });

  it('is an array also when it ends with an error', async () => {
    t.wires.faults.push('cut');
    const frames = await (await generate('model-chat', 'streamGenerateContent')).json();
    expect(frames.at(-1)).toMatchObject({ error: { code: 502, status: 'INTERNAL' } });
    await t.row();
  });

  it('is one of events when the caller asks for that', async () => {
    const response = await generate('model-chat', 'streamGenerateContent', { query: '?alt=sse' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toStartWith('data: {');
    await t.row();
  });
});

describe("Google's paths", () => {
  it('take the key of the address, which goes no further', async () => {
    printed = '';
    const query = `?key=${t.relay.key}`;
    const answer = await generate('model-generateContent', 'generateContent', { query, key: '' });
    expect(answer.status).toBe(200);
    await t.row();
    const bare = t.relay.key.replace('sk-', '');
    expect(printed).toContain('/v1beta/models/model-generateContent:generateContent');
    expect(printed).not.toContain(bare);
    expect(JSON.stringify([t.lastSeen.path, [...t.lastSeen.headers], t.lastSeen.raw])).not.toContain(bare);
    const wrong = await generate('model-chat', 'generateContent', { query: '?key=sk-nobody', key: '' });
    expect(wrong.status).toBe(401);
  });

  it('take no key of the address on other calls', async () => {
    const answer = await fetch(`${t.relay.base}/v1/chat/completions?key=${t.relay.key}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'model-chat', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(answer.status).toBe(401);
  });

  it('serve the same below /v1, and models whose names have slashes', async () => {
    const { model } = await t.extra('chat', { models: 'extra-30/of:a-house' });
    await t.relay.set({ ModelRatio: { [model]: 1 } });
    const answer = await fetch(`${t.relay.base}/v1/models/${model}:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': t.relay.key },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Say hello.' }] }] }),
    });
    expect(answer.status).toBe(200);
    expect(t.lastSeen.body.model).toBe(model);
    await t.row();
    const names = ['chat', 'messages', 'generateContent', 'cohere', 'tencent', 'palm', 'minimax'];
    await t.relay.set({ ModelRatio: Object.fromEntries(names.map((name) => [`model-${name}`, 1])) });
  });

  it('refuse what is no action of theirs', async () => {
    const answer = await generate('model-chat', 'dance');
    await expectError('gemini', answer, 404, 'unknown_operation');
  });
});

// ---- Models --------------------------------------------------------------------------------------------------------

describe('the list of models', () => {
  const get = (path: string, headers: Record<string, string>) =>
    fetch(t.relay.base + path, { headers }).then((response) => response.json());
  const bearer = () => ({ authorization: `Bearer ${t.relay.key}` });
  const anthropic = () => ({ 'x-api-key': t.relay.key, 'anthropic-version': '2023-06-01' });
  const google = () => ({ 'x-goog-api-key': t.relay.key });

  it('has the shape that its client reads', async () => {
    const openai = await get('/v1/models', bearer());
    expect(openai.object).toBe('list');
    const ids = openai.data.map(({ id }: { id: string }) => id);
    expect(ids).toContain('model-chat');
    const claude = await get('/v1/models', anthropic());
    expect(claude).toMatchObject({ has_more: false, first_id: ids[0], last_id: ids.at(-1) });
    expect(claude.data[0]).toMatchObject({ type: 'model', id: ids[0], display_name: ids[0] });
    expect(Date.parse(claude.data[0].created_at)).toBeGreaterThan(0);
    for (const gemini of [await get('/v1beta/models', google()), await get('/v1/models', google())]) {
      expect(gemini.models.map(({ name }: { name: string }) => name)).toEqual(
        ids.map((id: string) => `models/${id}`),
      );
      expect(gemini.models[0].supportedGenerationMethods).toContain('generateContent');
    }
    expect((await get(`/v1beta/models?key=${t.relay.key}`, {})).models).toHaveLength(ids.length);
  });

  it('shows one model, or says in the same words that there is none', async () => {
    expect(await get('/v1/models/model-chat', bearer())).toMatchObject({ object: 'model', id: 'model-chat' });
    expect(await get('/v1/models/model-chat', anthropic())).toMatchObject({ type: 'model' });
    expect(await get('/v1beta/models/model-chat', google())).toMatchObject({ name: 'models/model-chat' });
    expect(await get('/v1/models/none', anthropic())).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    });
    expect(await get('/v1beta/models/none', google())).toMatchObject({ error: { status: 'NOT_FOUND' } });
  });
});
