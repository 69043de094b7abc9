/** Zhipu's token: a JWT with its own header field and times in milliseconds, made of a key `id.secret`. */
import { hmacSha256 } from './hmac.ts';

const LIFE_MS = 86_400_000;
/** A token is used again until this long before its end. */
const MARGIN_MS = 600_000;

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function zhipuToken(id: string, secret: string, nowMs: number): string {
  const head = base64url({ alg: 'HS256', sign_type: 'SIGN' });
  const claims = base64url({ api_key: id, exp: nowMs + LIFE_MS, timestamp: nowMs });
  return `${head}.${claims}.${hmacSha256(secret, `${head}.${claims}`).toString('base64url')}`;
}

export const ZHIPU_TOKEN_REUSE_MS = LIFE_MS - MARGIN_MS;
