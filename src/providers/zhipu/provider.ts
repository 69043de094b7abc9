import { isObject } from '../../core/json.ts';
import { TokenCache } from '../auth/token-cache.ts';
import { ZHIPU_TOKEN_REUSE_MS, zhipuToken } from '../auth/zhipu-jwt.ts';
import type { Provider } from '../provider.ts';
import { zhipuWire } from './wire.ts';

const tokens = new TokenCache();

/** The key is `id.secret`; one without a dot is sent as it is, and the vendor says what is wrong with it. */
const tokenOf = (key: string): Promise<string> => {
  const [id = '', secret] = key.split('.');
  if (secret === undefined) return Promise.resolve(key);
  const now = Date.now();
  return tokens.get(
    key,
    async () => ({ value: zhipuToken(id, secret, now), reuseUntil: now + ZHIPU_TOKEN_REUSE_MS }),
    now,
  );
};

export const zhipu: Provider = {
  type: 16,
  slug: 'zhipu',
  label: 'Zhipu ChatGLM',
  baseUrl: 'https://open.bigmodel.cn',
  speaks: {},
  wire: zhipuWire,
  streamUsage: false,
  form: { keyHint: 'id.secret', baseUrl: 'optional' },
  models: ['chatglm_turbo', 'chatglm_pro', 'chatglm_std', 'chatglm_lite'],
  async prepare({ channel, model, stream }) {
    const action = stream ? 'sse-invoke' : 'invoke';
    const token = await tokenOf(channel.key);
    return {
      method: 'POST',
      url: `${channel.baseUrl}/api/paas/v3/model-api/${encodeURIComponent(model)}/${action}`,
      headers: { 'content-type': 'application/json', authorization: token },
      secrets: [token, ...channel.key.split('.').slice(1)],
    };
  },
  readFault(_status, body) {
    const told = zhipuWire.readError(body);
    if (told) return { error: told.error, keyStatus: told.status };
    const error = isObject(body) && isObject(body.error) ? body.error : null;
    if (!error || typeof error.message !== 'string') return null;
    return { error: { message: error.message, code: String(error.code ?? '') } };
  },
};
