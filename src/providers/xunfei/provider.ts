import type { JsonObject } from '../../core/json.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { signXunfeiUrl } from '../auth/xunfei-url.ts';
import { bearer } from '../openai-compatible.ts';
import type { Provider, UpstreamCall } from '../provider.ts';
import { fillFrame, isLastFrame, isSparkVersion, sparkAddress, sparkVersion, xunfeiWire } from './wire.ts';

/** `APPID|APISecret|APIKey`. A key of one part is the password of the calls over HTTP. */
const split = (key: string): { appId: string; apiSecret: string; apiKey: string } => {
  const [appId = '', apiSecret = '', apiKey = ''] = key.split('|');
  return { appId, apiSecret, apiKey };
};
const isPassword = (key: string): boolean => !key.includes('|');

const SOCKET_HOST = 'https://spark-api.xf-yun.com';
const HTTP_HOST = 'https://spark-api-open.xf-yun.com';

const addressOf = ({ model, channel }: Pick<UpstreamCall, 'model' | 'channel'>) =>
  sparkAddress(sparkVersion(model, channel.other));

function prepareHttp(call: UpstreamCall) {
  const { channel, stream } = call;
  const base = channel.baseUrl === SOCKET_HOST ? HTTP_HOST : channel.baseUrl;
  const version = addressOf(call).domain === 'x1' ? 'v2' : 'v1';
  return {
    method: 'POST' as const,
    url: `${base}/${version}/chat/completions`,
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      ...bearer(channel.key),
    },
  };
}

function prepareSocket(call: UpstreamCall) {
  const key = split(call.channel.key);
  const base = new URL(call.channel.baseUrl);
  const signed = signXunfeiUrl(base.host, addressOf(call).path, key, new Date());
  return {
    method: 'GET' as const,
    // The dialer opens the socket; a tunnel in the operator's own network may do without TLS.
    url: signed.replace(/^wss:/, base.protocol),
    headers: {},
    socket: { isLast: isLastFrame },
    secrets: [key.appId, key.apiSecret, key.apiKey],
  };
}

function adjustBody(body: JsonObject, call: Omit<UpstreamCall, 'body'>): JsonObject {
  const { domain } = addressOf(call);
  if (call.dialect === openaiChat && isPassword(call.channel.key)) return { ...body, model: domain };
  return fillFrame(body, { appId: split(call.channel.key).appId, domain });
}

export const xunfei: Provider = {
  type: 18,
  slug: 'xunfei',
  label: 'Xunfei Spark',
  baseUrl: SOCKET_HOST,
  domains: ['xf-yun.com'],
  isVersion: isSparkVersion,
  speaks: { chat: [openaiChat] },
  dialectsOf: ({ key }) => (isPassword(key) ? [openaiChat] : []),
  wire: xunfeiWire,
  nameChars: 32,
  streamOnly: true,
  streamUsage: true,
  form: {
    keyHint: 'APPID|APISecret|APIKey',
    baseUrl: 'hidden',
    other: {
      label: { zh: '模型版本', en: 'Model version' },
      hint: 'v2.1',
      default: 'v2.1',
    },
  },
  models: [
    'SparkDesk',
    'SparkDesk-v1.1',
    'SparkDesk-v2.1',
    'SparkDesk-v3.1',
    'SparkDesk-v3.5',
    'SparkDesk-v4.0',
  ],
  prepare: (call) => (isPassword(call.channel.key) ? prepareHttp(call) : prepareSocket(call)),
  adjustBody,
};
