/** Vertex AI: Google's own models, Claude, and open models, each in its own wire, behind one account. */
import { parseObject } from '../../core/json.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { CLAUDE_MODELS } from '../claude-models.ts';
import { GEMINI_MODELS } from '../gemini-models.ts';
import { readGoogleFault, withSafety } from '../google.ts';
import { messagesHeaders } from '../messages-headers.ts';
import { bearer } from '../openai-compatible.ts';
import type { Provider, UpstreamCall, UpstreamRequest } from '../provider.ts';
import { claudeBody, geminiBody } from './body.ts';
import { forgetToken, readVertexKey, secretsOf, tokenOf, type VertexKey } from './key.ts';

const DEFAULT_REGION = 'us-central1';

/** The region for a model: `other` is its name, or a table of regions by the name that the caller used. */
function regionOf({ channel, requested }: UpstreamCall): string {
  const { other } = channel;
  const table = parseObject(other);
  if (!table) return other || DEFAULT_REGION;
  const named = Object.hasOwn(table, requested) ? table[requested] : table.default;
  return typeof named === 'string' && named ? named : DEFAULT_REGION;
}

const hostOf = (region: string): string =>
  `https://${region === 'global' ? '' : `${region}-`}aiplatform.googleapis.com`;

/** Whose wire a model speaks. */
function dialectOf(model: string): Dialect {
  if (model.startsWith('claude')) return anthropicMessages;
  return /llama|-maas/.test(model) ? openaiChat : gemini;
}

/** Vertex marks the date of a model with another sign. */
const claudeId = (model: string): string =>
  model.replace(/^claude-3-5-sonnet-20241022$/, 'claude-3-5-sonnet-v2-20241022').replace(/-(\d{8})$/, '@$1');

/** The path below the address, without the version of the API where that is the usual one. */
function pathOf({ model, stream, dialect }: UpstreamCall, key: VertexKey, region: string): string {
  const geminiAction = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  if (key.kind === 'api-key')
    return `/v1/publishers/google/models/${encodeURIComponent(model)}:${geminiAction}`;
  const place = `projects/${encodeURIComponent(key.account.project_id)}/locations/${encodeURIComponent(region)}`;
  if (dialect === openaiChat) return `/v1beta1/${place}/endpoints/openapi/chat/completions`;
  if (dialect === gemini) {
    return `/v1/${place}/publishers/google/models/${encodeURIComponent(model)}:${geminiAction}`;
  }
  const id = encodeURIComponent(claudeId(model)).replace('%40', '@');
  return `/v1/${place}/publishers/anthropic/models/${id}:${stream ? 'streamRawPredict' : 'rawPredict'}`;
}

async function prepare(call: UpstreamCall): Promise<UpstreamRequest> {
  const { channel, dialect, http } = call;
  const key = readVertexKey(channel.key);
  const region = regionOf(call);
  const base = channel.baseUrl || hostOf(key.kind === 'api-key' ? 'global' : region);
  const request = { method: 'POST' as const, url: base + pathOf(call, key, region) };
  // The version of Anthropic's wire stands in the body.
  const { 'anthropic-version': _, ...own } = dialect === anthropicMessages ? messagesHeaders(call) : {};
  const headers = { 'content-type': 'application/json', ...own };
  // A key in the address would be seen by everything on the way.
  if (key.kind === 'api-key') return { ...request, headers: { ...headers, 'x-goog-api-key': key.key } };
  const token = await tokenOf(channel.key, key.account, http);
  return {
    ...request,
    headers: { ...headers, ...bearer(token) },
    secrets: [token, ...secretsOf(key.account)],
  };
}

export const vertex: Provider = {
  type: 41,
  slug: 'vertex-ai',
  label: 'Vertex AI',
  baseUrl: '',
  speaks: { chat: [gemini, anthropicMessages, openaiChat] },
  dialectsOf: ({ operation, model }) => (operation === 'chat' ? [dialectOf(model)] : []),
  streamUsage: true,
  form: {
    keyHint: '{"type":"service_account","project_id":…}',
    keyMultiline: true,
    baseUrl: 'hidden',
    other: {
      label: { zh: '部署地区', en: 'Region' },
      hint: '{"default":"us-central1","claude-3-5-sonnet-20240620":"europe-west1"}',
      multiline: true,
    },
  },
  models: [
    ...CLAUDE_MODELS,
    ...GEMINI_MODELS,
    'meta/llama3-405b-instruct-maas',
    'meta/llama-4-maverick-17b-128e-instruct-maas',
  ],
  prepare,
  adjustBody(body, call) {
    if (call.dialect === anthropicMessages) return claudeBody(body);
    return call.dialect === gemini ? geminiBody(withSafety(body, call)) : body;
  },
  readFault: readGoogleFault,
  forget: forgetToken,
};
