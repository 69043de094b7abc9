/**
 * Words by which a gateway behind a channel (LiteLLM, by its own lists) is told what becomes of a request, where it goes
 * and who is told of it, and what it has stored: none of them goes up, and what other wires mean by alike words does.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    thinker: { type: 1, named: 'gpt-5' },
    mini: { type: 1, named: 'gpt-4o-mini' },
    nova: { type: 1, named: 'amazon.nova-pro-v1:0' },
    'nova sold': { type: 1, setting: { allow_dearer: true } },
  }));
});
afterAll(() => t.close());
beforeEach(() => t.relay.setBalance(10_000_000));

const HELLO: JsonObject = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
const EVIL = 'https://evil.example';

it('thoughts that nobody sees are told whatever is to be dropped', async () => {
  const THOUGHT = 60_000;
  const usage = {
    prompt_tokens: 20,
    completion_tokens: THOUGHT + 5,
    completion_tokens_details: { reasoning_tokens: THOUGHT },
  };
  // Who asks for no usage is told none.
  t.answers(({ body }) => {
    const dropped = JSON.stringify(body.additional_drop_params ?? []);
    const isTold = body.stream_options !== undefined && !dropped.includes('stream_options');
    return eventStream([
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'Yes.' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ...(isTold ? [{ choices: [], usage }] : []),
      '[DONE]',
    ]);
  });
  const answer = await t.post('/v1/chat/completions', {
    ...HELLO,
    max_tokens: 100_000,
    model: models.thinker ?? '',
    stream: true,
    additional_drop_params: ['stream_options'],
  });
  await answer.text();
  expect((await t.row()).quota).toBe(20 + 2 * (THOUGHT + 5));
});

/** As LiteLLM takes them, and one of them in the spelling of others. */
const WORDS: JsonObject = {
  // What becomes of a request.
  additional_drop_params: ['stream_options'],
  allowed_openai_params: ['x'],
  drop_params: true,
  dropParams: true,
  provider_specific_header: { custom_llm_provider: 'anthropic', extra_headers: { 'anthropic-beta': 'x' } },
  default_headers: { 'anthropic-beta': 'x' },
  extra_query: { api: 1 },
  organization: 'org-dear',
  cache: { 'no-cache': true },
  'no-log': true,
  guardrails: ['x'],
  policies: ['x'],
  success_callback: ['x'],
  prompt_variables: {},
  user_continue_message: { role: 'user', content: 'x' },
  cache_control_injection_points: [{ location: 'message', role: 'user', control: { type: 'ephemeral' } }],
  enable_prompt_caching: true,
  // Who serves it, how often and how long.
  context_window_fallback_dict: { 'gpt-4o-mini': 'gpt-4.1' },
  model_alias_map: { 'gpt-4o-mini': 'gpt-4.1' },
  silent_model: 'gpt-4.1',
  base_model: 'x',
  model_id: 'arn:aws:bedrock:x',
  retry_policy: { TimeoutErrorRetries: 9 },
  retry_strategy: 'x',
  fastest_response: true,
  max_fallbacks: 5,
  disable_fallbacks: true,
  order: 1,
  weight: 1,
  tags: ['dear'],
  allowed_model_region: 'eu',
  routing_strategy: 'x',
  router_settings_override: { fallbacks: [] },
  auto_router_config: '{}',
  use_litellm_proxy: true,
  _target_order: 1,
  timeout: 5,
  stream_timeout: 5,
  request_timeout: 5,
  force_timeout: 5,
  // What it is said to cost.
  cache_read_input_token_cost: 0,
  output_cost_per_token: 0,
  // Where it goes, and with whose keys.
  s3_endpoint_url: EVIL,
  sagemaker_base_url: EVIL,
  deployment_url: EVIL,
  token_exchange_endpoint: EVIL,
  anthropic_issuer_url: EVIL,
  client_secret: 'x',
  azure_password: 'x',
  // Who is told of it.
  langfuse_host: EVIL,
  langfuse_secret: 'x',
  langsmith_base_url: EVIL,
  posthog_api_url: EVIL,
  arize_api_key: 'x',
  braintrust_host: EVIL,
  dd_agent_host: EVIL,
  signoz_ingestion_endpoint: EVIL,
  gcs_bucket_name: 'x',
  slack_webhook_url: EVIL,
  turn_off_message_logging: true,
  // Other gateways' than LiteLLM: which models and hosts answer, and what of a body is written anew.
  providerOptions: { gateway: { models: ['anthropic/claude-opus-4.6'] } },
  provider_options: { anthropic: { speed: 'fast' } },
  'tensorzero::extra_body': [{ model_name: 'm', pointer: '/model', value: 'gpt-5-pro' }],
  'tensorzero::variant_name': 'dear',
  'of_the_future::field': 1,
};

const CHAT = [
  '/v1/chat/completions',
  HELLO,
  chatAnswer({ prompt_tokens: 10, completion_tokens: 10 }),
] as const;
const SURFACES: readonly (readonly [path: string, asked: JsonObject, answer: JsonObject])[] = [
  CHAT,
  ['/v1/messages', HELLO, messagesAnswer({ input_tokens: 10, output_tokens: 10 })],
  [
    '/v1/responses',
    { input: 'Hello', max_output_tokens: 100 },
    responsesAnswer({ input_tokens: 10, output_tokens: 10 }),
  ],
];

/** What goes up of a call with these fields. */
async function up(path: string, body: JsonObject, answer: JsonObject): Promise<JsonObject> {
  t.answers(path === '/v1/messages' ? CHAT[2] : answer);
  const got = await t.post(path, { model: models.mini ?? '', ...body });
  expect([got.status, await got.text()]).toEqual([200, expect.anything()]);
  await t.row();
  return t.lastSeen.body;
}

describe('the words of the gateway behind', () => {
  it.each(SURFACES)('are no caller’s: %s', async (path, asked, answer) => {
    const sent = await up(path, { ...asked, ...WORDS, ...{ extra_body: WORDS } }, answer);
    expect(Object.keys(sent).filter((name) => name in WORDS)).toEqual([]);
    expect(JSON.stringify(sent)).not.toContain('evil');
  });

  it('are none of what is told about a request', async () => {
    const own = {
      user: 'u',
      order: 'A-123',
      tags: 'a, b',
      tenant_id: 't',
      timeout: '5',
      s3_key: 'a',
      model: 'x',
    };
    const theirs = {
      langfuse_host: EVIL,
      langfuseHost: EVIL,
      slack_webhook_url: EVIL,
      user_api_key_auth_metadata: 'x',
      disable_global_guardrails: 'yes',
    };
    const read = {
      tags: ['dear'],
      timeout: 5,
      turn_off_message_logging: true,
      guardrails: ['dear', { dearer: { extra_body: {} } }],
    };
    for (const [path, asked, answer] of [CHAT, SURFACES[2] ?? CHAT]) {
      expect((await up(path, { ...asked, metadata: { ...theirs, ...own } }, answer)).metadata).toEqual(own);
      expect((await up(path, { ...asked, metadata: { a: 'b', ...read } }, answer)).metadata).toEqual({
        a: 'b',
      });
      expect((await up(path, { ...asked, metadata: own }, answer)).metadata).toEqual(own);
    }
    // It reads one that is written as text as well, of a looser JSON.
    for (const metadata of [JSON.stringify(theirs), `{"langfuse_host":"${EVIL}","a":NaN}`]) {
      expect(await up(...([CHAT[0], { ...HELLO, metadata }, CHAT[2]] as const))).not.toHaveProperty(
        'metadata',
      );
    }
  });

  it('leave those of the wires alone', async () => {
    const asked = {
      metadata: { a: 'b' },
      store: false,
      verbosity: 'low',
      prompt_cache_key: 'k',
      cache_salt: 's',
      session_id: 's',
      stop_token_ids: [1],
      chat_template_kwargs: { timeout: 1, tags: ['x'], Order: 1 },
      of_the_future: { order: 1, Tags: [], cache: {} },
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: { type: 'object', properties: { timeout: { type: 'number' } } },
          },
        },
      ],
    };
    expect(await up(CHAT[0], { ...HELLO, ...asked }, CHAT[2])).toMatchObject(asked);
  });

  it('mean something else beside chats', async () => {
    t.answers({ data: [{ index: 0, embedding: [0.1] }], usage: { prompt_tokens: 1, total_tokens: 1 } });
    const words = { tags: ['a'], weight: 1, order: 'asc' };
    const got = await t.post('/v1/embeddings', {
      model: models.mini ?? '',
      input: 'x',
      ...words,
      timeout: 1,
      providerOptions: WORDS.providerOptions,
    });
    expect(got.status).toBe(200);
    await t.row();
    expect(t.lastSeen.body).toMatchObject(words);
    expect(t.lastSeen.body).not.toContainAnyKeys(['timeout', 'providerOptions']);
  });
});

describe('an answer that comes faster for more', () => {
  const FAST = { performanceConfig: { latency: 'optimized' } };
  const ask = async (model: string, more: JsonObject) => {
    t.answers(CHAT[2]);
    const got = await t.post('/v1/chat/completions', { ...HELLO, ...more, model: models[model] ?? '' });
    expect(got.status).toBe(200);
    await t.row();
    return got.headers.get('x-gateway-lost');
  };

  it('comes where it is sold', async () => {
    expect(await ask('nova', FAST)).toBe('performanceConfig');
    expect(t.lastSeen.body).not.toHaveProperty('performanceConfig');
    expect(await ask('nova sold', FAST)).toBeNull();
    expect(t.lastSeen.body).toMatchObject(FAST);
  });

  it('is asked for by one name', async () => {
    const other = { performance_config: FAST.performanceConfig };
    expect(await ask('nova', other)).toBe('performance_config');
    expect(t.lastSeen.body).not.toHaveProperty('performance_config');
  });

  it('is none at the usual pace', async () => {
    const usual = { performanceConfig: { latency: 'standard' } };
    expect(await ask('nova', usual)).toBeNull();
    expect(t.lastSeen.body).toMatchObject(usual);
  });
});
