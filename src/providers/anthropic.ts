import { isObject } from '../core/json.ts';
import { anthropicMessages } from '../dialects/anthropic-messages/dialect.ts';
import type { ChannelAccess, Provider, UpstreamCall } from './provider.ts';

const VERSION = '2023-06-01';

/** What is listed, and what Bedrock and Vertex serve of it. */
export const CLAUDE_MODELS: readonly string[] = [
  'claude-opus-5',
  'claude-sonnet-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-opus-4-5-20251101',
  'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5-20251001',
  'claude-opus-4-1-20250805',
  'claude-opus-4-20250514',
  'claude-sonnet-4-20250514',
  'claude-3-7-sonnet-20250219',
  'claude-3-7-sonnet-20250219-thinking',
  'claude-sonnet-4-20250514-thinking',
  'claude-sonnet-4-5-20250929-thinking',
  'claude-opus-4-5-20251101-thinking',
  'claude-3-5-sonnet-20241022',
  'claude-3-5-sonnet-20240620',
  'claude-3-5-haiku-20241022',
  'claude-3-opus-20240229',
  'claude-3-sonnet-20240229',
  'claude-3-haiku-20240307',
];

/** OAuth tokens of the vendor's own tools go as bearers, and need a mark that says so. */
const isOauthToken = (key: string): boolean => key.startsWith('sk-ant-oat');
const OAUTH_BETA = 'oauth-2025-04-20';

function authorise(key: string, betas: string): Record<string, string> {
  if (!isOauthToken(key)) return { 'x-api-key': key, ...(betas ? { 'anthropic-beta': betas } : {}) };
  const all = betas
    .split(',')
    .map((beta) => beta.trim())
    .filter(Boolean);
  return { authorization: `Bearer ${key}`, 'anthropic-beta': [...new Set([...all, OAUTH_BETA])].join(',') };
}

export const anthropic: Provider = {
  type: 14,
  slug: 'anthropic',
  label: 'Claude',
  baseUrl: 'https://api.anthropic.com',
  speaks: { chat: [anthropicMessages] },
  streamUsage: true,
  form: { keyHint: 'sk-ant-…', baseUrl: 'optional' },
  models: CLAUDE_MODELS,
  prepare({ channel, stream, headers, query }: UpstreamCall) {
    const beta = query.get('beta') === 'true' ? '?beta=true' : '';
    return {
      method: 'POST',
      url: `${channel.baseUrl}/v1/messages${beta}`,
      headers: {
        'content-type': 'application/json',
        accept: stream ? 'text/event-stream' : 'application/json',
        'anthropic-version': headers.get('anthropic-version') ?? VERSION,
        ...authorise(channel.key, headers.get('anthropic-beta') ?? ''),
      },
    };
  },
  listModels: (channel: ChannelAccess) => ({
    request: {
      method: 'GET',
      url: `${channel.baseUrl}/v1/models?limit=1000`,
      headers: { 'anthropic-version': VERSION, ...authorise(channel.key, '') },
    },
    read: (body) =>
      (isObject(body) && Array.isArray(body.data) ? body.data : []).flatMap((model: unknown) =>
        isObject(model) && typeof model.id === 'string' ? [model.id] : [],
      ),
  }),
};
