import { isObject, parseJson } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { TokenCache } from '../auth/token-cache.ts';
import type { ChannelAccess, Provider, UpstreamCall, VendorCall } from '../provider.ts';
import { TokenRefused } from '../provider.ts';
import { baiduEmbeddings } from './embeddings.ts';
import { baiduWire } from './wire.ts';

/** Models whose address does not follow from their name. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  'ERNIE-4.0': 'completions_pro',
  'ERNIE-Bot-4': 'completions_pro',
  'ERNIE-4.0-8K': 'completions_pro',
  'ERNIE-Bot': 'completions',
  'ERNIE-3.5-8K': 'completions',
  'ERNIE-Bot-turbo': 'eb-instant',
  'ERNIE-Lite-8K-0922': 'eb-instant',
  'ERNIE-Speed': 'ernie_speed',
  'ERNIE-Speed-8K': 'ernie_speed',
  'ERNIE-Speed-128K': 'ernie-speed-128k',
  'ERNIE-Lite-8K-0308': 'ernie-lite-8k',
  'ERNIE-Lite-8K': 'ernie-lite-8k',
  'ERNIE-4.0-Turbo-8K': 'ernie-4.0-turbo-8k',
  'ERNIE-3.5-8K-0205': 'ernie-3.5-8k-0205',
  'ERNIE-3.5-8K-1222': 'ernie-3.5-8k-1222',
  'ERNIE-3.5-4K-0205': 'ernie-3.5-4k-0205',
  'ERNIE-Bot-8K': 'ernie_bot_8k',
  'ERNIE-Tiny-8K': 'ernie-tiny-8k',
  'BLOOMZ-7B': 'bloomz_7b1',
  'ERNIE-Character-8K': 'ernie-char-8k',
  'Embedding-V1': 'embedding-v1',
  'bge-large-zh': 'bge_large_zh',
  'bge-large-en': 'bge_large_en',
  'tao-8k': 'tao_8k',
};

const endpointOf = (model: string): string => own(ENDPOINTS, model) ?? model.toLowerCase();

const tokens = new TokenCache();

/** Tokens live for a month; the last hour of it is left unused. */
const MARGIN_SEC = 3_600;

const split = (key: string): { id: string; secret: string } => {
  const [id = '', secret = ''] = key.split('|');
  return { id, secret };
};

/** The token of a key. Throws TokenRefused. */
const tokenOf = ({ baseUrl, key }: ChannelAccess, http: VendorCall): Promise<string> =>
  tokens.get(key, async () => {
    const { id, secret } = split(key);
    const query = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    });
    const answer = await http({
      method: 'POST',
      url: `${baseUrl}/oauth/2.0/token?${query}`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
    const body = parseJson(answer.text);
    const told = isObject(body) ? body : {};
    if (typeof told.access_token !== 'string') throw new TokenRefused(answer, [id, secret]);
    const lifeSec = typeof told.expires_in === 'number' ? told.expires_in : 0;
    return { value: told.access_token, reuseUntil: Date.now() + (lifeSec - MARGIN_SEC) * 1_000 };
  });

async function prepare({ operation, channel, model, http }: UpstreamCall) {
  const token = await tokenOf(channel, http);
  const kind = operation === 'embeddings' ? 'embeddings' : 'chat';
  const path = `/rpc/2.0/ai_custom/v1/wenxinworkshop/${kind}/${encodeURIComponent(endpointOf(model))}`;
  const { id, secret } = split(channel.key);
  return {
    method: 'POST' as const,
    url: `${channel.baseUrl}${path}?access_token=${encodeURIComponent(token)}`,
    headers: { 'content-type': 'application/json' },
    secrets: [token, id, secret],
  };
}

export const baidu: Provider = {
  type: 15,
  slug: 'baidu',
  label: 'Baidu Wenxin',
  baseUrl: 'https://aip.baidubce.com',
  speaks: { embeddings: [baiduEmbeddings] },
  wire: baiduWire,
  streamUsage: false,
  form: { keyHint: 'APIKey|SecretKey', baseUrl: 'optional' },
  models: Object.keys(ENDPOINTS),
  keyFormat: {
    isGood: (key) => /^[^|\s]+\|[^|\s]+$/.test(key),
    expected: { zh: '应为 APIKey|SecretKey', en: 'it must be APIKey|SecretKey' },
  },
  prepare,
  readAnswerError: baiduWire.readError,
  forget: (key) => tokens.drop(key),
  readFault(_status, body) {
    const told = baiduWire.readError(body);
    if (told) return { ...told, keyDead: false };
    const { error, error_description: description } = isObject(body) ? body : {};
    if (typeof error !== 'string') return null;
    const message = typeof description === 'string' ? description : error;
    // The exchange of the key for a token says this of a key that there is not.
    return { error: { message, code: error }, ...(error === 'invalid_client' && { status: 401 }) };
  },
};
