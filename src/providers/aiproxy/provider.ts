import { aiProxyBalance } from '../balance.ts';
import { bearer } from '../openai-compatible.ts';
import type { Provider } from '../provider.ts';
import { aiProxyWire } from './wire.ts';

export const aiProxy: Provider = {
  hasOwnPrompt: true,
  type: 21,
  slug: 'aiproxy',
  label: 'AI Proxy Library',
  baseUrl: 'https://api.aiproxy.io',
  speaks: {},
  wire: aiProxyWire,
  streamUsage: false,
  otherIsKept: true,
  form: {
    keyHint: 'API key',
    baseUrl: 'optional',
    other: { label: { zh: '知识库 ID', en: 'Knowledge base id' }, hint: '123456' },
  },
  models: [],
  balance: aiProxyBalance,
  adjustBody: (body, { channel }) => ({ ...body, libraryId: channel.other }),
  prepare: ({ channel }) => ({
    method: 'POST',
    url: `${channel.baseUrl}/api/library/ask`,
    headers: { 'content-type': 'application/json', ...bearer(channel.key) },
  }),
};
