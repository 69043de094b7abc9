import { bearer } from '../openai-compatible.ts';
import type { Provider } from '../provider.ts';
import { difyWire } from './wire.ts';

export const dify: Provider = {
  hasOwnPrompt: true,
  type: 37,
  slug: 'dify',
  label: 'Dify',
  baseUrl: 'https://api.dify.ai',
  speaks: {},
  wire: difyWire,
  // Agents have no whole answers.
  streamOnly: true,
  streamUsage: false,
  form: {
    keyHint: 'app-…',
    baseUrl: 'optional',
    notice: {
      zh: '只适配了 chatflow 与 agent 应用，agent 不支持图片。',
      en: 'Only chatflow and agent apps are served; agents take no pictures.',
    },
  },
  models: [],
  prepare: ({ channel }) => ({
    method: 'POST',
    url: `${channel.baseUrl}/v1/chat-messages`,
    headers: { 'content-type': 'application/json', ...bearer(channel.key) },
  }),
  readFault(_status, body) {
    const told = difyWire.readError(body);
    return told && { error: told.error };
  },
};
