/** Vertex's two kinds of keys, and the token that a service account is exchanged for. */
import { isObject, type JsonObject, parseJson, parseObject } from '../../core/json.ts';
import { repeatedName } from '../../core/json-repeats.ts';
import {
  GOOGLE_TOKEN_URL,
  googleGrant,
  type ServiceAccount,
  serviceAccountSchema,
} from '../auth/google-jwt.ts';
import { TokenCache } from '../auth/token-cache.ts';
import { TokenRefused, type VendorCall } from '../provider.ts';

export type VertexKey = { kind: 'account'; account: ServiceAccount } | { kind: 'api-key'; key: string };

/** A service account is a JSON text; anything else is a key of the express mode. */
export function readVertexKey(key: string): VertexKey {
  const parsed = serviceAccountSchema.safeParse(parseJson(key));
  return parsed.success ? { kind: 'account', account: parsed.data } : { kind: 'api-key', key };
}

/** A whole service account, each of its fields once, or a key of one word. */
export const isVertexKey = (key: string): boolean =>
  readVertexKey(key).kind === 'account' ? repeatedName(key) === null : /^[\w.-]+$/.test(key);

const tokens = new TokenCache();

/** Tokens live for an hour; the last ten minutes of it are left unused. */
const MARGIN_SEC = 600;
const LIFE_SEC = 3_600;

export const forgetToken = (key: string): boolean => tokens.drop(key);

/** The access token of a service account. Throws TokenRefused. */
export const tokenOf = (key: string, account: ServiceAccount, http: VendorCall): Promise<string> =>
  tokens.get(key, async () => {
    const now = Date.now();
    const address = account.token_uri ?? GOOGLE_TOKEN_URL;
    const request = {
      method: 'POST' as const,
      url: address,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: grantOf(account, address, Math.floor(now / 1_000)),
    };
    const answer = await http(request, account.token_uri !== undefined);
    const told: JsonObject = parseObject(answer.text) ?? {};
    if (!isObject(told) || typeof told.access_token !== 'string') {
      throw new TokenRefused(answer, secretsOf(account));
    }
    const lifeSec = typeof told.expires_in === 'number' ? told.expires_in : LIFE_SEC;
    return { value: told.access_token, reuseUntil: now + (lifeSec - MARGIN_SEC) * 1_000 };
  });

function grantOf(account: ServiceAccount, address: string, nowSec: number): string {
  try {
    return googleGrant(account, address, nowSec);
  } catch {
    throw new TokenRefused({ status: 401, text: '{"error":"the private key cannot be read"}' }, []);
  }
}

export const secretsOf = ({ private_key: pem, client_email, private_key_id }: ServiceAccount): string[] => [
  pem,
  client_email,
  ...(private_key_id ? [private_key_id] : []),
];
