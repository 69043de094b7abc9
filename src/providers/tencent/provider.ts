import { signTencentCall } from '../auth/tencent-tc3.ts';
import type { Provider } from '../provider.ts';
import { tencentWire } from './wire.ts';

/** `AppId|SecretId|SecretKey`; the first part is kept for the format's sake and not sent. */
const split = (key: string): { secretId: string; secretKey: string } => {
  const [, secretId = '', secretKey = ''] = key.split('|');
  return { secretId, secretKey };
};

export const tencent: Provider = {
  type: 23,
  slug: 'tencent',
  label: 'Tencent Hunyuan',
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  speaks: {},
  wire: tencentWire,
  streamUsage: false,
  form: { keyHint: 'AppId|SecretId|SecretKey', baseUrl: 'optional' },
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
  prepare({ channel, body }) {
    const { host } = new URL(channel.baseUrl);
    const call = {
      host,
      service: 'hunyuan',
      action: 'ChatCompletions',
      version: '2023-09-01',
      body,
      at: new Date(),
    };
    const { secretId, secretKey } = split(channel.key);
    return {
      method: 'POST',
      url: `${channel.baseUrl}/`,
      headers: signTencentCall(call, { secretId, secretKey }),
      secrets: [secretId, secretKey],
    };
  },
  readFault(_status, body) {
    const told = tencentWire.readError(body);
    return told && { error: told.error, keyDead: told.status === 401 || told.status === 402 };
  },
};
