import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { changedSecrets, keptSecrets, shownSecrets } from './secrets.ts';

const shown = (param_override: JsonObject) => shownSecrets({ param_override }).param_override;

describe('what of a channel authorises beside its keys', () => {
  it.each<JsonObject>([
    { max_tokens: 100, budget_tokens: '100', stop: ['key', '***'], stop_tokens: ['<|end|>'] },
    { user: 'house', prompt_cache_key: 'k', safety_identifier: 'u', metadata: { author: 'ann' } },
    {
      headers: { 'x-portkey-custom-host': 'https://a.example' },
      tokenizer: 'cl100k',
      keywords: ['a'],
      logit_bias: { 50256: -100 },
      keep_alive: '5m',
    },
    { filters: { type: 'eq', key: 'genre', value: 'drama' }, code: 'print(1)' },
    { tools: [{ name: 'f', parameters: { properties: { api_key: { type: 'string', description: 'd' } } } }] },
    {
      tools: [
        {
          properties: {
            token: { enum: ['a', 'b'], description: 'd' },
            api_key: { $ref: '#/$defs/secret' },
            auth: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          },
          $defs: { secret: { description: 'd', pattern: '^s' } },
        },
      ],
      tokens_per_minute: '100',
    },
    { system: '[Rules] Answer as {"token": "…"}', user: '{name} says {"token": "…"}' },
    {
      base: 'https://a.example/x?api-version=2024-10-21&region=eu',
      instructions: 'Bearer tokens are {"key"',
    },
  ])('is nothing of %j', (override) => {
    expect(shown(override)).toEqual(override);
  });

  it.each<[JsonObject, JsonObject]>([
    [{ api_key: 'S' }, { api_key: '***' }],
    [
      { 'x-new-token': 'S', output_token: 'S' },
      { 'x-new-token': '***', output_token: '***' },
    ],
    [
      { 'extra_body[apiKey]': 'S', AWS_SECRET_ACCESS_KEY: 'S' },
      { 'extra_body[apiKey]': '***', AWS_SECRET_ACCESS_KEY: '***' },
    ],
    [{ authentication: { type: 'api_key', key: 'S' } }, { authentication: { type: 'api_key', key: '***' } }],
    [
      { credentials: { user: 'S', pin: 'S' }, tokens: ['S'] },
      { credentials: { user: '***', pin: '***' }, tokens: ['***'] },
    ],
    [{ list: [{ name: 'x-api-key', value: 'S' }] }, { list: [{ name: 'x-api-key', value: '***' }] }],
    [
      { connectionString: 'S', own: 'Bearer abcdefgh' },
      { connectionString: '***', own: '***' },
    ],
    [{ extra_body: '{"api_key": "S"}' }, { extra_body: '***' }],
    [{ url: 'https://a.example/x?v=1&code=S#t' }, { url: 'https://a.example/x?v=1&code=***#t' }],
    [{ url: 'https://a.example/x?%6Bey=S;S&v=%' }, { url: 'https://a.example/x?%6Bey=***&v=%' }],
    [{ url: 'https://a.example/x;v=1;token=S;w=2' }, { url: 'https://a.example/x;v=1;token=***;w=2' }],
    [
      {
        credentials: { type: 'Object storage', plain: 'S' },
        properties: { auth: { type: 'string', pin: 'S' } },
      },
      {
        credentials: { type: 'Object storage', plain: '***' },
        properties: { auth: { type: 'string', pin: '***' } },
      },
    ],
    // A field and a header are called by their names, whatever stands beside them.
    [
      { key: 'S', value: 'x', headers: { key: 'S', value: 'x' } },
      { key: '***', value: 'x', headers: { key: '***', value: 'x' } },
    ],
  ])('is shown of %j as %j', (override, expected) => {
    expect(shown(override)).toEqual(expected);
    expect(shown(expected)).toEqual(expected);
  });

  it('is kept where its field comes back as it was shown, and nowhere else', () => {
    const tool = (server_url: string, authorization: string) => ({ type: 'mcp', server_url, authorization });
    const stored = {
      base_url: 'https://a.example/{model}?code=S',
      setting: { headers: { 'x-auth': 'S', 'x-token': 'T' } },
      param_override: { api_key: 'S', tools: [tool('https://a', 'S'), tool('https://b', 'T')], seed: 1 },
    };
    const back = shownSecrets(stored);
    expect(JSON.stringify(back)).not.toMatch(/"[ST]"|=S/);
    expect(keptSecrets(back, stored)).toEqual(stored);
    const { api_key } = back.param_override;
    const changed = {
      base_url: 'https://b.example/{model}?code=***',
      setting: { headers: { 'x-auth': '***', 'x-token': 'U' } },
      param_override: { api_key, tools: [tool('https://b', '***'), tool('https://a', '***')] },
    };
    expect(keptSecrets(changed, stored)).toEqual({
      ...changed,
      setting: { headers: { 'x-auth': 'S', 'x-token': 'U' } },
      param_override: { ...changed.param_override, api_key: 'S' },
    });
  });

  it('is told as changed where both sides are shown alike', () => {
    const fields = (x: string, seed: number) => ({
      base_url: `https://a.example/v1?code=${x}`,
      setting: { headers: { 'x-auth': x, 'x-title': x } },
      param_override: { api_key: x, list: [{ token: 'T' }], seed },
    });
    const { param_override, ...others } = fields('U', 2);
    expect(changedSecrets(fields('S', 1), others)).toEqual(['base_url.code', 'setting.headers.x-auth']);
    expect(changedSecrets(fields('S', 1), { param_override })).toEqual(['param_override.api_key']);
    expect(changedSecrets(fields('S', 1), { param_override: { seed: 1 } })).toEqual([]);
  });
});
