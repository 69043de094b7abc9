/** Tencent Cloud API 3.0 signature (TC3-HMAC-SHA256). The body is signed, so nothing may change it afterwards. */
import { hmacSha256, sha256Hex } from './hmac.ts';

export interface TencentCall {
  host: string;
  service: string;
  action: string;
  version: string;
  body: string;
  at: Date;
}

const CONTENT_TYPE = 'application/json';
const SIGNED = 'content-type;host;x-tc-action';

/** All headers of the call. */
export function signTencentCall(
  call: TencentCall,
  key: { secretId: string; secretKey: string },
): Record<string, string> {
  const timestamp = Math.floor(call.at.getTime() / 1000).toString();
  const date = call.at.toISOString().slice(0, 10);
  const canonicalRequest = [
    'POST',
    '/',
    '',
    `content-type:${CONTENT_TYPE}`,
    `host:${call.host}`,
    `x-tc-action:${call.action.toLowerCase()}`,
    '',
    SIGNED,
    sha256Hex(call.body),
  ].join('\n');
  const scope = `${date}/${call.service}/tc3_request`;
  const textToSign = ['TC3-HMAC-SHA256', timestamp, scope, sha256Hex(canonicalRequest)].join('\n');
  const signingKey = [date, call.service, 'tc3_request'].reduce<Buffer | string>(
    hmacSha256,
    `TC3${key.secretKey}`,
  );
  const signature = hmacSha256(signingKey, textToSign).toString('hex');
  return {
    'content-type': CONTENT_TYPE,
    'x-tc-action': call.action,
    'x-tc-version': call.version,
    'x-tc-timestamp': timestamp,
    authorization: `TC3-HMAC-SHA256 Credential=${key.secretId}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
  };
}
