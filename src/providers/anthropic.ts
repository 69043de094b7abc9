import { limits } from '../core/limits.ts';
import { joinBetas } from '../dialects/anthropic-messages/betas.ts';
import { anthropicMessages } from '../dialects/anthropic-messages/dialect.ts';
import { anthropicCount } from '../dialects/plain/count-tokens.ts';
import { CLAUDE_MODELS } from './claude-models.ts';
import { ANTHROPIC_VERSION, messagesHeaders } from './messages-headers.ts';
import { modelIds } from './openai-compatible.ts';
import type { ChannelAccess, Provider, UpstreamCall } from './provider.ts';
import { wantsThoughtsBack } from './thoughts-back.ts';

/** OAuth tokens of the vendor's own tools go as bearers, and need a mark that says so. */
const isOauthToken = (key: string): boolean => key.startsWith('sk-ant-oat');
const OAUTH_BETA = 'oauth-2025-04-20';

const authorise = (key: string, betas = ''): Record<string, string> =>
  isOauthToken(key)
    ? { authorization: `Bearer ${key}`, 'anthropic-beta': joinBetas(betas, OAUTH_BETA) }
    : { 'x-api-key': key };

export const anthropic: Provider = {
  type: 14,
  homeOf: ['claude'],
  slug: 'claude',
  label: 'Claude',
  baseUrl: 'https://api.anthropic.com',
  speaks: { chat: [anthropicMessages], 'count-tokens': [anthropicCount] },
  opensToAnyone: true,
  wantsThoughtsBack,
  toolLimit: () => limits.toolUsesMax,
  streamUsage: true,
  form: { keyHint: 'sk-ant-…', baseUrl: 'optional' },
  models: CLAUDE_MODELS,
  prepare(call: UpstreamCall) {
    const { channel, operation, stream, query } = call;
    const task = operation === 'count-tokens' ? '/count_tokens' : '';
    const beta = query.get('beta') === 'true' ? '?beta=true' : '';
    const own = messagesHeaders(call);
    return {
      method: 'POST',
      url: `${channel.baseUrl}/v1/messages${task}${beta}`,
      headers: {
        'content-type': 'application/json',
        accept: stream ? 'text/event-stream' : 'application/json',
        ...own,
        ...authorise(channel.key, own['anthropic-beta']),
      },
    };
  },
  listModels: (channel: ChannelAccess) => ({
    request: {
      method: 'GET',
      url: `${channel.baseUrl}/v1/models?limit=1000`,
      headers: { 'anthropic-version': ANTHROPIC_VERSION, ...authorise(channel.key) },
    },
    read: modelIds,
  }),
};
