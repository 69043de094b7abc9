/** Claudes at clouds of others, which refuse a whole call for what Anthropic alone knows of its own wire. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const ANTHROPIC = 'claude-opus-4-5';
const BEDROCK = 'claude-sonnet-4-5';
const VERTEX = 'claude-sonnet-4-6';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({
    RetryTimes: 0,
    SelfUseModeEnabled: true,
    'claude.model_headers_settings': { [`${BEDROCK}-set`]: { 'anthropic-beta': 'claude-code-20250219' } },
  });
  const base_url = t.base;
  const account = {
    project_id: 'p',
    client_email: 'a@p.iam.gserviceaccount.com',
    private_key: privateKey,
    token_uri: `${t.base}/token`,
  };
  await t.relay.addChannel({ type: 14, base_url, models: ANTHROPIC });
  await t.relay.addChannel({ type: 33, base_url, key: 'key|eu-west-1', models: `${BEDROCK},${BEDROCK}-set` });
  await t.relay.addChannel({
    type: 41,
    base_url,
    key: JSON.stringify(account),
    other: 'us-east5',
    models: VERTEX,
  });
});
afterAll(() => t.close());

/** What Claude Code asks for, and other agents. */
const BETAS = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'advanced-tool-use-2025-11-20',
  'effort-2025-11-24',
  'extended-cache-ttl-2025-04-11',
  'web-search-2025-03-05',
];
const LINE = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.185.01c; cch=36ee5;' };
const marked = (scope?: string) => ({
  type: 'text',
  text: 'Be brief.',
  cache_control: { type: 'ephemeral', ttl: '1h', ...(scope && { scope }) },
});
/** A call that was made, whose tool has arguments of such names. */
const input = { cache_control: { type: 'ephemeral', scope: 'global' } };
const messages = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
];

/** What went up: its system, its betas, wherever they stand, and the rest. */
async function asked(model: string, { path = '/v1/messages', betas = BETAS, more = {} as JsonObject } = {}) {
  t.answers((seen) =>
    seen.path === '/token'
      ? Response.json({ access_token: 'ya29.x', expires_in: 3600 })
      : Response.json({ error: { message: 'told no' } }, { status: 400 }),
  );
  const body = { model, max_tokens: 50, system: [LINE, marked('global')], messages, ...more };
  await (await t.post(path, body, { 'anthropic-beta': betas.join() })).text();
  const { body: up, headers } = t.lastSeen;
  return { up, header: headers.get('anthropic-beta')?.split(',') };
}

it('Anthropic is asked as its client asks', async () => {
  const { up, header } = await asked(ANTHROPIC);
  expect(header).toEqual(BETAS);
  expect(up.system).toEqual([LINE, marked('global')]);
});

it('Bedrock is asked for the betas that it takes, by its names', async () => {
  const { up, header } = await asked(BEDROCK);
  expect(header).toBeUndefined();
  expect(up.anthropic_beta).toEqual([
    'interleaved-thinking-2025-05-14',
    'context-management-2025-06-27',
    'tool-search-tool-2025-10-19',
    'effort-2025-11-24',
  ]);
});

it('and Vertex for those that it takes', async () => {
  const { header } = await asked(VERTEX);
  const taken = [
    'interleaved-thinking-2025-05-14',
    'context-management-2025-06-27',
    'tool-search-tool-2025-10-19',
    'effort-2025-11-24',
  ];
  expect(header).toEqual([...taken, 'web-search-2025-03-05']);
  // It refuses that one where it counts.
  expect((await asked(VERTEX, { path: '/v1/messages/count_tokens' })).header).toEqual(taken);
});

it.each([BEDROCK, VERTEX])('neither is told of other betas in the body: %s', async (model) => {
  const more = { anthropic_beta: ['claude-code-20250219', 'compact-2026-01-12'] };
  expect((await asked(model, { betas: [], more })).up.anthropic_beta).toEqual(['compact-2026-01-12']);
  const none = { anthropic_beta: ['claude-code-20250219'] };
  const { up, header } = await asked(model, { betas: ['claude-code-20250219'], more: none });
  expect(up).not.toHaveProperty('anthropic_beta');
  expect(header).toBeUndefined();
});

it('what the operator sets goes up', async () => {
  expect((await asked(`${BEDROCK}-set`)).up.anthropic_beta).toEqual(['claude-code-20250219']);
});

it.each([BEDROCK, VERTEX])('nor of how far a cache reaches, nor of a bill: %s', async (model) => {
  const { up } = await asked(model);
  expect(up.system).toEqual([marked()]);
  expect(up.messages).toEqual(messages);
});
