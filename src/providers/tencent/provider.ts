import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { openaiEmbeddings } from '../../dialects/plain/openai-embeddings.ts';
import { signTencentCall } from '../auth/tencent-tc3.ts';
import { bearer } from '../openai-compatible.ts';
import type { Provider, UpstreamCall, UpstreamRequest } from '../provider.ts';
import { tencentEmbeddings } from './embeddings.ts';
import { tencentWire } from './wire.ts';

/** `AppId|SecretId|SecretKey`; the first part is kept for the format's sake and not sent. */
const split = (key: string): { secretId: string; secretKey: string } => {
  const [, secretId = '', secretKey = ''] = key.split('|');
  return { secretId, secretKey };
};

/** A key of one part is one of the calls in OpenAI's wire, at an address of their own. */
const isPlainKey = (key: string): boolean => !key.includes('|');

const NATIVE = 'https://hunyuan.tencentcloudapi.com';
const COMPATIBLE = 'https://api.hunyuan.cloud.tencent.com';

function prepareCompatible({ channel, operation, stream }: UpstreamCall): UpstreamRequest {
  const base = channel.baseUrl === NATIVE ? COMPATIBLE : channel.baseUrl;
  return {
    method: 'POST',
    url: `${base}/v1/${operation === 'embeddings' ? 'embeddings' : 'chat/completions'}`,
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      ...bearer(channel.key),
    },
  };
}

function prepareNative({ channel, operation, body }: UpstreamCall): UpstreamRequest {
  const { secretId, secretKey } = split(channel.key);
  const call = {
    host: new URL(channel.baseUrl).host,
    service: 'hunyuan',
    action: operation === 'embeddings' ? 'GetEmbedding' : 'ChatCompletions',
    version: '2023-09-01',
    body,
    at: new Date(),
  };
  return {
    method: 'POST',
    url: `${channel.baseUrl}/`,
    headers: signTencentCall(call, { secretId, secretKey }),
    secrets: [secretId, secretKey],
  };
}

export const tencent: Provider = {
  type: 23,
  slug: 'tencent',
  label: 'Tencent Hunyuan',
  baseUrl: NATIVE,
  domains: ['tencentcloudapi.com', 'tencent.com'],
  speaks: { chat: [openaiChat], embeddings: [tencentEmbeddings, openaiEmbeddings] },
  dialectsOf({ operation, key }) {
    if (operation === 'embeddings') return isPlainKey(key) ? [openaiEmbeddings] : [tencentEmbeddings];
    return operation === 'chat' && isPlainKey(key) ? [openaiChat] : [];
  },
  wire: tencentWire,
  streamUsage: true,
  form: { keyHint: 'AppId|SecretId|SecretKey', baseUrl: 'optional' },
  keyFormat: {
    isGood: (key) => /^[^|\s]+(\|[^|\s]+\|[^|\s]+)?$/.test(key),
    expected: {
      zh: '应为 AppId|SecretId|SecretKey，或 OpenAI 兼容接口的单个密钥',
      en: 'it must be AppId|SecretId|SecretKey, or the one key of the calls in OpenAI’s wire',
    },
  },
  models: [
    'hunyuan-lite',
    'hunyuan-standard',
    'hunyuan-standard-256K',
    'hunyuan-pro',
    'hunyuan-turbo',
    'hunyuan-turbos-latest',
    'hunyuan-large',
    'hunyuan-t1-latest',
    'hunyuan-vision',
    'hunyuan-embedding',
  ],
  prepare: (call) => (isPlainKey(call.channel.key) ? prepareCompatible(call) : prepareNative(call)),
  readFault(_status, body) {
    const told = tencentWire.readError(body);
    return told && { error: told.error, keyStatus: told.status };
  },
  readAnswerError: tencentWire.readError,
};
