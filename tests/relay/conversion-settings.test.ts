/** What operators set for a channel acts on converted calls too. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { SURFACES } from '../support/surfaces.ts';
import { type Asked, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import { PIXEL, type Wire } from '../support/wires.ts';

let t: WireRelay;
beforeAll(async () => {
  t = await openWireRelay({ PRIVATE_EGRESS: '127.0.0.0/8' });
  await t.relay.set({ RetryTimes: 0 });
});
afterAll(() => t.close());

/** A call over a channel with these fields. */
async function callOver(name: string, wire: Wire, channel: JsonObject, asked: Asked = {}) {
  const { model } = await t.extra(wire, channel);
  const response = await t.ask(name, wire, { model, ...asked });
  const text = await response.clone().text();
  const answer = await t.read(name, response, asked.stream ?? false);
  const row = await t.row();
  return { model, response, text, answer, row, seen: t.lastSeen };
}

describe('on a converted call', () => {
  it('a system prompt stands before what the caller says', async () => {
    const setting = JSON.stringify({ system_prompt: 'Be brief.' });
    const { seen } = await callOver('anthropic-messages', 'chat', { setting });
    expect(seen.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Say hello.' },
    ]);
    const other = await callOver('openai-responses', 'messages', { setting });
    expect(other.seen.body.system).toBe('Be brief.');
  });

  it('an override changes what goes upstream, but no limit', async () => {
    const param_override = '{"temperature":0,"top_k":3}';
    const { seen } = await callOver(
      'openai-chat',
      'messages',
      { param_override },
      { more: { temperature: 1 } },
    );
    expect(seen.body).toMatchObject({ temperature: 0, top_k: 3, max_tokens: 100 });
    const nested = '{"generationConfig":{"maxOutputTokens":9999,"topK":3}}';
    const google = await callOver('openai-chat', 'generateContent', { param_override: nested });
    expect(google.seen.body.generationConfig).toEqual({ topK: 3, maxOutputTokens: 100 });
  });

  it('the model goes by its mapped name, and the answer by the name that was asked for', async () => {
    const model = 'extra-38';
    const { answer, text, seen, row } = await callOver('gemini', 'chat', {
      models: model,
      model_mapping: JSON.stringify({ [model]: 'real-model' }),
    });
    expect(seen.body.model).toBe('real-model');
    expect(text).toContain(`"modelVersion":"${model}"`);
    expect(answer.text).toBe('Hello wörld');
    expect(row.other).toMatchObject({ upstream_model_name: 'real-model' });
    expect(row.other.admin_info.converted_to).toBe('openai-chat');
  });

  it('a mapped status is told in the words of the caller', async () => {
    t.wires.faults.push({ status: 500 });
    const { response, text } = await callOver('anthropic-messages', 'chat', {
      status_code_mapping: '{"500":"429"}',
    });
    expect(response.status).toBe(429);
    expect(JSON.parse(text).error.type).toBe('rate_limit_error');
  });

  it.each([
    ['openai-chat', { prediction: { type: 'content', content: 'x' }, stream_options: null }, ['prediction']],
    [
      'openai-responses',
      { truncation: 'auto', max_tool_calls: 3, background: false },
      ['max_tool_calls', 'truncation'],
    ],
    ['openai-responses', { truncation: 'disabled', include: [] }, []],
    [
      'anthropic-messages',
      { mcp_servers: [{ type: 'url', name: 'x' }], context_management: { edits: [{}] } },
      ['context_management', 'mcp_servers'],
    ],
    [
      'gemini',
      {
        safetySettings: [{ category: 'c', threshold: 't' }],
        generationConfig: { maxOutputTokens: 9, mediaResolution: 'HIGH', responseModalities: ['TEXT'] },
      },
      ['mediaResolution', 'safetySettings'],
    ],
  ] as [string, JsonObject, string[]][])(
    'fields that only %s knows are named as lost: %j',
    async (name, more, lost) => {
      const to: Wire[] = name === 'openai-chat' ? ['messages', 'tencent'] : ['chat', 'cohere', 'tencent'];
      for (const wire of to) {
        const response = await t.ask(name, wire, { more: { ...more } });
        await t.row();
        const said = response.headers.get('x-gateway-lost')?.split(', ') ?? [];
        for (const field of lost) expect(said).toContain(field);
        if (lost.length === 0) expect(said).not.toContain('truncation');
      }
    },
  );

  it.each([
    ['gemini', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
    ['openai-responses', { conversation: { id: 'conv_1' } }, 'conversation'],
    ['openai-responses', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ] as const)('a context that only the service of %s keeps is refused: %j', async (name, more, field) => {
    for (const wire of ['chat', 'tencent'] as const) {
      const response = await t.ask(name, wire, { more: { ...more } });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(field);
    }
  });

  it('what the upstream has no word for is left out and said', async () => {
    const { response, row } = await callOver(
      'openai-chat',
      'messages',
      {},
      { more: { seed: 7, logit_bias: { 1: 2 } } },
    );
    expect(response.headers.get('x-gateway-lost')?.split(', ').sort()).toEqual(['logit_bias', 'seed']);
    expect(row.other.lost.sort()).toEqual(['logit_bias', 'seed']);
    const nothing = await callOver('openai-chat', 'messages', {});
    expect(nothing.response.headers.has('x-gateway-lost')).toBe(false);
    expect(nothing.row.other).not.toHaveProperty('lost');
  });

  it('dearer service than the priced one is not asked for, unless the channel allows it', async () => {
    const more = { service_tier: 'priority', models: ['dear/one'], user: 'u' };
    const { seen, response, row } = await callOver('openai-chat', 'chat', {}, { more });
    expect(seen.body).toMatchObject({ user: 'u' });
    expect([seen.body.service_tier, seen.body.models]).toEqual([undefined, undefined]);
    expect(response.headers.get('x-gateway-lost')).toBe('service_tier, models');
    expect(row.other.lost).toEqual(['service_tier', 'models']);
    const setting = JSON.stringify({ allow_dearer: true });
    const allowed = await callOver('openai-chat', 'chat', { setting }, { more });
    expect(allowed.seen.body).toMatchObject(more);
    expect(allowed.response.headers.has('x-gateway-lost')).toBe(false);
  });

  it('a cap is sent where the upstream demands one', async () => {
    await t.relay.set({ 'claude.default_max_tokens': { default: 1234, 'extra-39': 55 } });
    const none = { max_completion_tokens: null };
    expect((await callOver('openai-chat', 'messages', {}, { more: none })).seen.body.max_tokens).toBe(1234);
    const special = await callOver('openai-chat', 'messages', { models: 'extra-39' }, { more: none });
    expect(special.seen.body.max_tokens).toBe(55);
  });
});

describe('thinking_to_content', () => {
  const setting = '{"thinking_to_content":true}';
  const shown = '<think>\nhm\n</think>\nHello wörld';

  it.each([
    ['openai-chat', 'chat'],
    ['openai-chat', 'messages'],
    ['anthropic-messages', 'chat'],
    ['gemini', 'generateContent'],
  ] as const)('shows thoughts as text: %s on %s', async (name, wire) => {
    for (const stream of [false, true]) {
      const { answer, row } = await callOver(name, wire, { setting }, { stream });
      expect(answer).toMatchObject({ text: shown, thinking: '', prompt: 17, completion: 20 });
      expect(row.quota).toBe(37);
    }
  });
});

describe('force_format', () => {
  it('drops from a stream what is no word of the wire, and leaves the request alone', async () => {
    const asked = { stream: true, more: { vendor_field: 1 } };
    const plain = await callOver('openai-chat', 'chat', {}, asked);
    expect(plain.text).toContain('nonce');
    const strict = await callOver('openai-chat', 'chat', { setting: '{"force_format":true}' }, asked);
    expect(strict.text).not.toContain('nonce');
    expect(strict.answer).toEqual(plain.answer);
    expect(strict.seen.body.vendor_field).toBe(1);
  });
});

it("a vendor's stream that says everything twice is told once", async () => {
  const { answer } = await callOver('openai-chat', 'minimax', {}, { stream: true });
  expect(answer.text).toBe('Hello wörld');
});

// ---- Pictures by address, for an upstream that takes bytes only -------------------------------------------------------

describe('a picture by address', () => {
  const ask = 'What is this?';
  const withPicture: Readonly<Record<string, (url: string) => JsonObject>> = {
    'openai-chat': (url) => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: ask },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
      vendor_field: 1,
    }),
    'openai-responses': (url) => ({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: ask },
            { type: 'input_image', image_url: url, detail: 'auto' },
          ],
        },
      ],
    }),
    'anthropic-messages': (url) => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: ask },
            { type: 'image', source: { type: 'url', url } },
          ],
        },
      ],
    }),
    gemini: (url) => ({
      contents: [
        { role: 'user', parts: [{ text: ask }, { fileData: { fileUri: url, mimeType: 'image/png' } }] },
      ],
    }),
  };

  it.each(Object.keys(SURFACES))('is fetched for a caller of %s', async (name) => {
    const more = withPicture[name]?.(`${t.wires.base}/pixel.png`);
    const { seen, answer } = await callOver(name, 'ollama', {}, { more });
    // As a data address in OpenAI's words, as bare bytes in Ollama's own.
    expect(seen.raw).toContain(name === 'openai-chat' ? `"data:image/png;base64,${PIXEL}"` : `"${PIXEL}"`);
    expect(seen.raw).not.toContain('pixel.png');
    expect(answer.text).toBe('Hello wörld');
    if (name === 'openai-chat') expect(seen.body.vendor_field).toBe(1);
  });

  it.each([
    ['does not exist', '/nothing.png', '404'],
    ['is private', 'http://10.0.0.1/x.png', 'cannot be fetched'],
    ['has a name that leads nowhere', 'http://nowhere.invalid/x.png', 'cannot be fetched'],
  ])('that %s is refused before anything is asked', async (_what, path, reason) => {
    const { model } = await t.extra('ollama');
    const url = path.startsWith('/') ? t.wires.base + path : path;
    const seen = t.wires.seen.length;
    const response = await t.ask('openai-chat', 'chat', { model, more: withPicture['openai-chat']?.(url) });
    expect(response.status).toBe(400);
    expect((await response.json()).error.message).toContain(reason);
    expect(t.wires.seen).toHaveLength(seen);
    expect(await t.row()).toMatchObject({ type: 6, quota: 0 });
  });

  it.each(Object.keys(SURFACES))(
    'that is none is told to be none, whatever the balance, to %s',
    async (name) => {
      const { model } = await t.extra('ollama');
      const poor = await t.relay.api.createUser({ quota: 1_000 });
      const key = await t.relay.addToken({}, poor);
      for (const url of ['http://[not/an/address', 'https://', ' HTTPS://a b/pixel.png']) {
        const seen = t.wires.seen.length;
        const response = await t.ask(name, 'chat', { model, key, more: withPicture[name]?.(url) });
        expect([url, response.status]).toEqual([url, 400]);
        expect(JSON.stringify(await response.json())).toContain('cannot be fetched');
        expect(t.wires.seen).toHaveLength(seen);
      }
      expect(await t.relay.account(poor)).toMatchObject({ quota: 1_000, reserved: 0 });
    },
  );
});
