/** What each provider of OpenAI's chat wire must send for the same request. One case a type. */
import type { JsonObject } from '../../../src/core/json.ts';

export interface ProviderCase {
  type: number;
  /** Of the channel. `{base}` is the mock's address. */
  baseUrl: string;
  channel?: JsonObject;
  /** Where it is made of several parts. */
  key?: string;
  /** The model that is asked for; `case-model` when it does not matter. */
  model?: string;
  path: string;
  query?: Record<string, string>;
  /** Of the request, whatever the mock's own client adds. */
  headers: Record<string, string>;
  /** Whether usage is asked for in a stream. */
  asksUsage: boolean;
  /** Of a streamed request alone. */
  streamHeaders?: Record<string, string>;
  /** Fields of the caller that this vendor gets otherwise: what it gets instead; undefined where it must not get it. */
  body?: Record<string, unknown>;
  /** Its models are told in another shape than OpenAI's. */
  listsOtherwise?: boolean;
}

const LONG_ID = 'call_long_identifier_1';
/** The first nine digits to the base of 36 of the SHA-256 of LONG_ID. */
const SHORT_ID = 'ea6nu4456';
const KEY = 'sk-case-0123456789abcdef';
const bearer = { authorization: `Bearer ${KEY}` };

export const caseKey = KEY;

/** Sent to every provider, with the case's model. */
export const caseRequest: JsonObject & { messages: JsonObject[] } = {
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: LONG_ID, type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: LONG_ID, content: '1' },
  ],
  max_completion_tokens: 50,
  temperature: 0.5,
  seed: 7,
};

const [, ...rest] = caseRequest.messages;
const plainRoles = [{ role: 'system', content: 'Be brief.' }, ...rest];

export const providerCases: readonly ProviderCase[] = [
  {
    type: 1,
    baseUrl: '{base}',
    channel: { openai_organization: 'org-case' },
    path: '/v1/chat/completions',
    headers: { ...bearer, 'openai-organization': 'org-case' },
    asksUsage: true,
  },
  {
    type: 3,
    baseUrl: '{base}',
    channel: { other: '2025-04-01-preview' },
    model: 'gpt-3.5-turbo',
    path: '/openai/deployments/gpt-35-turbo/chat/completions',
    query: { 'api-version': '2025-04-01-preview' },
    headers: { 'api-key': KEY },
    asksUsage: true,
  },
  {
    type: 8,
    baseUrl: '{base}/own/{model}/chat/completions',
    model: 'a/b',
    path: '/own/a%2Fb/chat/completions',
    headers: bearer,
    asksUsage: true,
  },
  {
    type: 20,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: { ...bearer, 'http-referer': 'https://site.example', 'x-title': 'Site%20%E5%90%8D' },
    asksUsage: false,
  },
  {
    type: 25,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 31,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: false,
    body: { messages: plainRoles },
  },
  {
    type: 40,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 42,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: false,
    body: {
      // Tool call ids must be nine letters and digits.
      messages: JSON.parse(JSON.stringify(plainRoles).replaceAll(LONG_ID, SHORT_ID)),
      max_completion_tokens: undefined,
      max_tokens: 50,
      seed: undefined,
      random_seed: 7,
    },
  },
  {
    type: 43,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 45,
    baseUrl: '{base}',
    path: '/api/v3/chat/completions',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 47,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 4,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 17,
    baseUrl: '{base}',
    path: '/compatible-mode/v1/chat/completions',
    headers: { ...bearer, 'x-dashscope-plugin': 'plug-in' },
    asksUsage: true,
    channel: { other: 'plug-in' },
    streamHeaders: { 'x-dashscope-sse': 'enable' },
    body: { messages: plainRoles },
  },
  {
    type: 19,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: false,
    body: { messages: plainRoles },
  },
  {
    type: 22,
    baseUrl: '{base}',
    path: '/v1/chat/completions',
    headers: bearer,
    asksUsage: false,
    body: { messages: plainRoles, detail: false },
  },
  {
    type: 26,
    baseUrl: '{base}',
    path: '/api/paas/v4/chat/completions',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 35,
    baseUrl: '{base}',
    path: '/v1/text/chatcompletion_v2',
    headers: bearer,
    asksUsage: true,
    body: { messages: plainRoles },
  },
  {
    type: 39,
    baseUrl: '{base}',
    path: '/client/v4/accounts/account-1/ai/v1/chat/completions',
    headers: bearer,
    asksUsage: true,
    channel: { other: 'account-1' },
    listsOtherwise: true,
    body: { messages: plainRoles },
  },
  {
    type: 46,
    baseUrl: '{base}',
    path: '/v2/chat/completions',
    headers: { ...bearer, appid: 'app-1' },
    key: `${KEY}|app-1`,
    asksUsage: true,
    body: { messages: plainRoles },
  },
];
