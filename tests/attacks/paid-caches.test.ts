/** What an upstream keeps of a prompt at a fee, and for how long: nobody has it kept for less than it costs. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { chatAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    ark: { type: 45, named: 'doubao-seed-1-6' },
    selling: { type: 45, setting: { allow_dearer: true } },
    kimi: { type: 25, named: 'kimi-k3' },
    claude: { type: 14, named: 'claude-opus-4-5' },
    'claude of the future': { type: 14, named: 'claude-future' },
    qwen: { type: 17, named: 'qwen3-max' },
    'qwen of the future': { type: 17, named: 'qwen-future' },
    minimax: { type: 35, named: 'MiniMax-M2.7' },
    deepseek: { type: 43, named: 'deepseek-chat' },
    litellm: { type: 1, named: 'claude-sonnet-4-6' },
    openai: { type: 1, named: 'gpt-5.6' },
    other: { type: 1 },
    gemini: { type: 1, named: 'gemini-2.5-pro' },
    'gemini by Messages': { type: 14, named: 'Gemini-2.5-flash' },
    'gemini of a custom type': { type: 8, named: 'vertex_ai/gemini-3-pro-preview' },
    'gemini by another name': { type: 1, named: 'fast', model_mapping: { fast: 'google/gemini-2.5-flash' } },
    'gemini sold': { type: 1, named: 'gemini-2.0-flash', setting: { allow_dearer: true } },
    router: { type: 20, named: 'google/gemini-2.5-pro' },
    'claude sold': { type: 14, named: 'claude-opus-4-1', setting: { allow_dearer: true } },
  }));
  // By what they ask for input, other than for caches.
  await t.price({ CacheRatio: { 'kimi-k3': 0.1, 'deepseek-chat': 0.1 } });
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

const post = (path: string, model: string, body: JsonObject) =>
  t.post(path, { model: models[model] ?? '', ...body });

describe('what Ark stores by the hour', () => {
  const RESPONSES: JsonObject = { input: 'What is new?', max_output_tokens: 50, store: true };
  const KEPT: JsonObject = { caching: { type: 'enabled', prefix: true }, expire_at: 4_000_000_000 };
  const ask = async (model: string, more: JsonObject) => {
    t.answers(responsesAnswer({ input_tokens: 10, output_tokens: 5 }));
    const answer = await post('/v1/responses', model, { ...RESPONSES, ...more });
    expect(answer.status).toBe(200);
    await t.row();
    return answer.headers.get('x-gateway-lost');
  };

  it('is not asked for', async () => {
    expect(await ask('ark', KEPT)).toBe('caching, expire_at');
    expect(t.lastSeen.path).toBe('/api/v3/responses');
    expect(t.lastSeen.body).not.toContainAnyKeys(Object.keys(KEPT));
    await ask('ark', { extra_body: KEPT });
    expect(JSON.stringify(t.lastSeen.body)).not.toContain('enabled');
  });

  it('is asked for where it is sold, and may be refused anywhere', async () => {
    expect(await ask('selling', KEPT)).toBeNull();
    expect(t.lastSeen.body).toMatchObject(KEPT);
    const none = { caching: { type: 'disabled' } };
    expect(await ask('ark', none)).toBeNull();
    expect(t.lastSeen.body).toMatchObject(none);
  });
});

/** So many tokens of a prompt; the answer costs two units. */
const N = 1000;
const MINUTES = N + 2;
const MARKED = 1.25 * N + 2;
const HOUR = 2 * N + 2;
/** OpenAI's. */
const HALF_DAY = 2.5 * N + 2;

const told = (details: JsonObject, beside: JsonObject = {}) =>
  chatAnswer({ prompt_tokens: N, completion_tokens: 1, prompt_tokens_details: details, ...beside });

describe('what is kept for an hour', () => {
  const WAYS: readonly [how: string, answer: JsonObject][] = [
    ['nothing is told', chatAnswer({ prompt_tokens: N, completion_tokens: 1 })],
    ['writes are told', told({ cached_tokens: 0, cache_write_tokens: N })],
    ['writes are told otherwise', told({ cache_creation_tokens: N })],
    ['writes are told beside the details', told({}, { cache_creation_input_tokens: N })],
    ['lives are told', told({ cache_creation: { ephemeral_1h_input_tokens: N } })],
    [
      'lives are not filled in',
      told({ cache_write_tokens: N, cache_creation: { ephemeral_1h_input_tokens: 0 } }),
    ],
  ];
  const ask = async (model: string, more: JsonObject, answer: JsonObject): Promise<number> => {
    t.answers(answer);
    const body = { max_tokens: 50, messages: [{ role: 'user', content: 'What is new?' }], ...more };
    expect((await post('/v1/chat/completions', model, body)).status).toBe(200);
    return (await t.row()).quota;
  };

  it.each(WAYS)('costs Kimi’s callers what it costs, where %s', async (_how, answer) => {
    for (const ttl of ['1h', '12h']) {
      expect(await ask('kimi', { prompt_cache_options: { ttl } }, answer)).toBe(HOUR);
    }
  });

  it.each(WAYS.slice(0, 4))('costs nothing more for minutes, where %s', async (_how, answer) => {
    for (const ttl of ['5m', null]) {
      expect(await ask('kimi', { prompt_cache_options: { ttl } }, answer)).toBe(MINUTES);
    }
    expect(await ask('kimi', {}, answer)).toBe(MINUTES);
  });

  it('is held for as what it may cost', async () => {
    const held: number[] = [];
    for (const ttl of ['5m', '1h']) {
      t.answers(async () => {
        held.push(...(await t.relay.reservations()).map(({ amount }) => Number(amount)));
        return Response.json(told({ cache_write_tokens: N }));
      });
      const messages = [{ role: 'user', content: 'x'.repeat(2 * N) }];
      await post('/v1/chat/completions', 'kimi', { max_tokens: 1, prompt_cache_options: { ttl }, messages });
      await t.row();
    }
    const [minutes = 0, hour = 0] = held;
    expect(minutes).toBeGreaterThanOrEqual(MINUTES);
    expect(hour - 2).toBe(2 * (minutes - 2));
  });

  it('is charged to whoever leaves before it is told, too', async () => {
    const leaver = new AbortController();
    t.answers(() => {
      leaver.abort();
      return Response.json(chatAnswer({}));
    });
    const body = { model: 'kimi-k3', max_tokens: 50, prompt_cache_options: { ttl: '1h' } };
    const messages = [{ role: 'user', content: 'What is new? '.repeat(100) }];
    await fetch(`${t.relay.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${t.relay.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, messages }),
      signal: leaver.signal,
    }).catch(() => null);
    const { quota, prompt_tokens, completion_tokens } = await t.row();
    expect(prompt_tokens).toBeGreaterThan(300);
    expect(quota).toBe(2 * prompt_tokens + 2 * completion_tokens);
  });

  it('is not charged where it could not be asked for', async () => {
    t.answers(told({ cache_write_tokens: N }));
    const asked = { input: 'What is new?', max_output_tokens: 50, prompt_cache_options: { ttl: '1h' } };
    const answer = await post('/v1/responses', 'kimi', asked);
    expect([answer.status, answer.headers.get('x-gateway-lost')]).toEqual([200, 'prompt_cache_options']);
    expect((await t.row()).quota).toBe(MINUTES);
    // What another wire has a word for is charged beside what it has none for.
    t.answers(messagesAnswer({ input_tokens: 0, output_tokens: 1, cache_creation_input_tokens: N }));
    const text = { type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } };
    const both = await post('/v1/chat/completions', 'claude', {
      max_tokens: 50,
      prompt_cache_options: { ttl: '1h' },
      messages: [{ role: 'user', content: [text] }],
    });
    expect([both.status, both.headers.get('x-gateway-lost')]).toEqual([200, 'prompt_cache_options']);
    expect((await t.row()).quota).toBe(HOUR);
  });

  it('is not charged for what was read, nor for what is told to be kept for minutes', async () => {
    const hour = { prompt_cache_options: { ttl: '1h' } };
    const read = told({ cached_tokens: 900, cache_write_tokens: 0 });
    expect(await ask('kimi', hour, read)).toBe(100 + 90 + 2);
    const brief = { ephemeral_5m_input_tokens: N, ephemeral_1h_input_tokens: 0 };
    expect(await ask('kimi', hour, told({ cache_write_tokens: N, cache_creation: brief }))).toBe(MINUTES);
  });

  it('costs nothing more where nobody asks anything for it', async () => {
    const more = { prompt_cache_options: { ttl: '1h' } };
    const hits = { prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 };
    expect(await ask('deepseek', more, told({}, hits))).toBe(100 + 90 + 2);
    expect(await ask('other', more, told({ cached_tokens: 0 }))).toBe(MINUTES);
  });

  it.each<[model: string, ttl: string | undefined, usage: JsonObject, quota: number]>([
    ['claude', '1h', { cache_creation_input_tokens: N }, HOUR],
    ['claude', '5m', { cache_creation_input_tokens: N }, MARKED],
    [
      'claude',
      '1h',
      { cache_creation: { ephemeral_5m_input_tokens: N, ephemeral_1h_input_tokens: 0 } },
      MARKED,
    ],
    ['claude of the future', '1h', { cache_creation_input_tokens: N }, HOUR],
    ['claude of the future', undefined, { cache_creation_input_tokens: N }, MARKED],
    ['kimi', '1h', { cache_creation_input_tokens: N }, HOUR],
    // They keep for minutes whatever they are asked.
    ['minimax', '1h', { cache_creation_input_tokens: N }, MARKED],
  ])('is charged by what was asked of Messages: %s for %s, told %j', async (model, ttl, usage, quota) => {
    t.answers(messagesAnswer({ input_tokens: 0, output_tokens: 1, ...usage }));
    const text = { type: 'text', text: 'What is new?', cache_control: { type: 'ephemeral', ttl } };
    const asked = await post('/v1/messages', model, {
      max_tokens: 50,
      messages: [{ role: 'user', content: [text] }],
    });
    expect(asked.status).toBe(200);
    expect((await t.row()).quota).toBe(quota);
  });

  it.each(['qwen', 'qwen of the future'])('a mark costs a quarter more at %s', async (model) => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const content = [{ type: 'text', text: 'What is new?', ...mark }];
    const lives = { ephemeral_5m_input_tokens: N };
    const usage = { cache_creation_input_tokens: N, cache_creation: lives, cache_type: 'ephemeral' };
    const marked = { messages: [{ role: 'user', content }] };
    expect(await ask(model, marked, told({ cached_tokens: 0, ...usage }))).toBe(MARKED);
    expect(await ask(model, marked, told({ cache_creation_input_tokens: N }))).toBe(MARKED);
    expect(await ask(model, {}, told({ cached_tokens: 0 }))).toBe(MINUTES);
  });
});

/** Gateways have Google keep what is marked, at a fee by the hour that no usage tells. */
describe('a mark', () => {
  const CHAT = chatAnswer({ prompt_tokens: N, completion_tokens: 1 });
  const ANSWERS: Record<string, JsonObject> = {
    '/v1/responses': responsesAnswer({ input_tokens: N, output_tokens: 1 }),
    '/v1/messages': messagesAnswer({ input_tokens: N, output_tokens: 1 }),
  };
  const schema = {
    type: 'object',
    properties: { cache_control: { type: 'object' }, prompt_cache_options: { type: 'object' } },
  };
  /** What goes up of it wherever marks stand, and what was lost. */
  const up = async (path: string, model: string, mark: JsonObject) => {
    const marked = { cache_control: mark };
    const content = (type: string) => [
      { role: 'user', content: [{ type, text: 'What is new?', ...marked }] },
    ];
    const tool = { name: 'f', description: 'd' };
    const bodies: Record<string, JsonObject> = {
      '/v1/chat/completions': {
        max_tokens: 16,
        messages: content('text'),
        prompt_cache_options: mark,
        tools: [{ type: 'function', function: { ...tool, parameters: schema }, ...marked }],
      },
      '/v1/responses': {
        max_output_tokens: 16,
        input: [
          ...content('input_text'),
          { type: 'message', role: 'user', content: 'x', prompt_cache_breakpoint: mark },
        ],
        tools: [{ type: 'function', ...tool, parameters: schema, ...marked }],
      },
      '/v1/messages': {
        max_tokens: 16,
        messages: content('text'),
        tools: [{ ...tool, input_schema: schema, ...marked }],
      },
    };
    t.answers(({ path: at }) => Response.json(ANSWERS[at] ?? CHAT));
    const answer = await post(path, model, bodies[path] ?? {});
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
    const { quota } = await t.row();
    const text = JSON.stringify(t.lastSeen.body);
    // The caller's own words stay.
    expect(text).toContain('"cache_control":{"type":"object"');
    const marks =
      text.match(/"(?:cache_control|prompt_cache_\w+)":\{(?:"type":"ephemeral"|"ttl":"\w+m)[^}]*\}/g) ?? [];
    return {
      marks: marks.length,
      ttls: text.match(/"ttl":[^,}]+/g) ?? [],
      quota,
      lost: answer.headers.get('x-gateway-lost'),
    };
  };

  it.each<[path: string, model: string]>([
    ['/v1/chat/completions', 'gemini'],
    ['/v1/responses', 'gemini'],
    ['/v1/messages', 'gemini'],
    ['/v1/messages', 'gemini by Messages'],
    ['/v1/chat/completions', 'gemini of a custom type'],
    ['/v1/chat/completions', 'gemini by another name'],
  ])('has nothing stored of Google’s: %s, %s', async (path, model) => {
    for (const ttl of ['31536000s', '1h', '5m', null]) {
      const { marks, ttls, quota, lost } = await up(path, model, { type: 'ephemeral', ttl });
      expect([marks, ttls, quota]).toEqual([0, [], MINUTES]);
      expect(lost).toContain('cache_control');
    }
  });

  it.each(['router', 'gemini sold'])('goes up where it is charged or sold: %s', async (model) => {
    const { marks } = await up('/v1/chat/completions', model, { type: 'ephemeral', ttl: '5m' });
    expect(marks).toBe(3);
  });

  it.each<[path: string, model: string]>([
    ['/v1/chat/completions', 'litellm'],
    ['/v1/responses', 'openai'],
    ['/v1/messages', 'claude'],
    ['/v1/chat/completions', 'claude'],
    ['/v1/chat/completions', 'kimi'],
    ['/v1/chat/completions', 'router'],
  ])('has nothing kept for a time whose price nobody knows: %s, %s', async (path, model) => {
    for (const ttl of ['86400s', '2h', 3600, { h: 1 }]) {
      const { ttls, quota, lost } = await up(path, model, { type: 'ephemeral', ttl } as JsonObject);
      expect([ttls, quota]).toEqual([[], MINUTES]);
      // At Responses the mark of another maker's does not go up at all.
      expect(lost).toContain(path === '/v1/responses' ? 'prompt_cache_breakpoint.ttl' : 'cache_control.ttl');
    }
    const { ttls, lost } = await up(path, model, { type: 'ephemeral', ttl: '1h' });
    expect(new Set(ttls)).toEqual(new Set(['"ttl":"1h"']));
    expect(lost ?? '').not.toContain('ttl');
  });

  it('has it kept for however long where that is sold', async () => {
    const { ttls } = await up('/v1/messages', 'claude sold', { type: 'ephemeral', ttl: '2h' });
    expect(new Set(ttls)).toEqual(new Set(['"ttl":"2h"']));
  });
});

it('a mark of Anthropic’s stays behind where gateways tell no writes', async () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const input = [{ role: 'user', content: [{ type: 'input_text', text: 'What is new?', ...mark }] }];
  t.answers(responsesAnswer({ input_tokens: N, output_tokens: 1 }));
  const answer = await post('/v1/responses', 'litellm', { max_output_tokens: 16, input });
  expect([answer.status, answer.headers.get('x-gateway-lost')]).toEqual([200, 'cache_control']);
  expect(JSON.stringify(t.lastSeen.body)).not.toContain('cache_control');
  await t.row();
});

describe('a mark of Anthropic’s for an hour', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const system = { role: 'system', content: [{ type: 'text', text: 'x', ...mark }] };
  const messages = [system, { role: 'user', content: 'What is new?', ...mark }];
  const ask = async (model: string, answer: JsonObject, more: JsonObject = {}): Promise<number> => {
    t.answers(answer);
    const asked = { model, max_tokens: 16, messages, ...more };
    expect((await t.post('/v1/chat/completions', asked)).status).toBe(200);
    return (await t.row()).quota;
  };
  const written = told({ cached_tokens: 0, cache_write_tokens: N });
  const untold = chatAnswer({ prompt_tokens: N, completion_tokens: 1 });

  it('costs nothing more at OpenAI’s models, which know none', async () => {
    const deployed = { named: 'gpt-6-luna', model_mapping: '{"gpt-6-luna":"prod"}' };
    for (const model of [models.openai ?? '', await t.model(1, deployed)]) {
      expect(await ask(model, written)).toBe(MARKED);
      expect(await ask(model, untold)).toBe(MINUTES);
      expect(JSON.stringify(t.lastSeen.body)).toContain('cache_control');
      // Their own is theirs.
      expect(await ask(model, written, { prompt_cache_options: { ttl: '12h' } })).toBe(HALF_DAY);
    }
  });

  it('costs what it costs where a model of OpenAI’s is so by its name alone', async () => {
    const mapped = { named: 'gpt-6.1-terra', model_mapping: '{"gpt-6.1-terra":"claude-sonnet-4-5"}' };
    expect(await ask(await t.model(1, mapped), written)).toBe(HALF_DAY);
  });

  it('does not go up to OpenAI itself, and its caller hears of that', async () => {
    const setting = { proxy: t.base };
    const model = await t.model(1, { named: 'gpt-6.1-sol', base_url: 'http://api.openai.com', setting });
    t.answers(written);
    const options = { prompt_cache_options: { ttl: '30m' } };
    const answer = await t.post('/v1/chat/completions', { model, max_tokens: 16, messages, ...options });
    expect([answer.status, answer.headers.get('x-gateway-lost')]).toEqual([200, 'cache_control']);
    const { messages: sent, ...rest } = t.lastSeen.body;
    expect(JSON.stringify(sent)).not.toContain('cache_control');
    expect(rest).toMatchObject(options);
    expect((await t.row()).quota).toBe(MARKED);
    // Claude Code marks all of its calls, and misses nothing elsewhere.
    const { content } = system;
    const said = { model, max_tokens: 16, system: content, messages: [{ role: 'user', content: 'x' }] };
    expect((await t.post('/v1/messages', said)).headers.get('x-gateway-lost')).toBeNull();
    expect((await t.row()).quota).toBe(MARKED);
  });
});

/** It may stand where another wire or vendor reads it. */
describe('a mark for longer than usual', () => {
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const half = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };
  const chat = (more: JsonObject, said: JsonObject = {}) => ({
    body: { max_tokens: 1, messages: [{ role: 'user', content: 'What is new?', ...said }], ...more },
    path: '/v1/chat/completions',
    model: 'litellm',
    answer: told({ cache_creation_tokens: N }),
    cost: HOUR,
  });
  const responses = (output: JsonObject) => ({
    body: {
      max_output_tokens: 1,
      input: [
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', ...output },
      ],
    },
    path: '/v1/responses',
    model: 'openai',
    answer: responsesAnswer({
      input_tokens: N,
      output_tokens: 1,
      input_tokens_details: { cache_write_tokens: N },
    }),
    cost: HALF_DAY,
  });
  const called = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}', ...hour } };
  const picture = { type: 'image_url', image_url: { url: 'https://a.example/a.png', ...hour } };

  it.each([
    ['beside a function', chat({ tools: [{ type: 'function', function: { name: 'f' }, ...hour }] })],
    ['in a function', chat({ tools: [{ type: 'function', function: { name: 'f', ...hour } }] })],
    ['in a function of old', chat({ functions: [{ name: 'f', ...hour }] })],
    ['in a call', chat({}, { role: 'assistant', tool_calls: [called] })],
    ['in a picture', chat({}, { content: [picture] })],
    ['in an output', responses({ output: [{ type: 'input_text', text: 'x', ...half }] })],
    ['beside an output', responses({ output: 'x', ...half })],
  ])('is held and charged %s', async (_where, { path, model, answer, body, cost }) => {
    const held: number[] = [];
    const ask = async (asked: JsonObject): Promise<number> => {
      t.answers(async () => {
        held.push(...(await t.relay.reservations()).map(({ amount }) => Number(amount)));
        return Response.json(answer);
      });
      expect((await post(path, model, asked)).status).toBe(200);
      expect(JSON.stringify(t.lastSeen.body)).toContain('"ttl"');
      return (await t.row()).quota;
    };
    expect(await ask(body)).toBe(cost);
    expect(await ask(JSON.parse(JSON.stringify(body).replace(/"ttl":"\w+"/, '"ttl":"5m"')))).toBe(MARKED);
    const [long = 0, short = 0] = held;
    expect(long).toBeGreaterThan(short);
  });
});

it('what LiteLLM has kept is charged by the lives that it tells', async () => {
  const text = (ttl: string) => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl } });
  const messages = [
    { role: 'system', content: [text('1h')] },
    { role: 'user', content: [text('5m')] },
  ];
  const lives = { ephemeral_5m_input_tokens: N - 100, ephemeral_1h_input_tokens: 100 };
  const details = { cache_creation_tokens: N, cache_creation_token_details: lives };
  t.answers(told(details, { cache_creation_input_tokens: N }));
  const answer = await post('/v1/chat/completions', 'litellm', { max_tokens: 50, messages });
  expect(answer.status).toBe(200);
  expect((await t.row()).quota).toBe(1.25 * (N - 100) + 2 * 100 + 2);
});
