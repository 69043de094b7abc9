/** The signed websocket address of Xunfei Spark. The signature is good for five minutes around `at`. */
import { hmacSha256 } from './hmac.ts';

export function signXunfeiUrl(
  host: string,
  path: string,
  key: { apiKey: string; apiSecret: string },
  at: Date,
): string {
  const date = at.toUTCString();
  const signature = hmacSha256(key.apiSecret, `host: ${host}\ndate: ${date}\nGET ${path} HTTP/1.1`).toString(
    'base64',
  );
  const origin = `api_key="${key.apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const query = new URLSearchParams({ authorization: Buffer.from(origin).toString('base64'), date, host });
  return `wss://${host}${path}?${query}`;
}
