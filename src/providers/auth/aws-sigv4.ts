/** AWS Signature Version 4, as the AWS general reference describes it, for services other than S3. */
import { hmacSha256, sha256Hex } from './hmac.ts';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  sessionToken?: string;
}

/** RFC 3986: only unreserved characters stay. */
export const awsEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

export interface AwsCall {
  method: 'GET' | 'POST';
  host: string;
  /** The path as sent: its segments already encoded once. */
  path: string;
  /** Already encoded and sorted; empty when there is none. */
  query?: string;
  /** Header names in lower case; `host` and `x-amz-date` are added. */
  headers: Record<string, string>;
  body: string;
  service: string;
  at: Date;
}

/** The headers of the call with `authorization`, `x-amz-date` and, for temporary credentials, the session token. */
export function signAwsCall(call: AwsCall, credentials: AwsCredentials): Record<string, string> {
  const amzDate = call.at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = amzDate.slice(0, 8);
  const { sessionToken } = credentials;
  const signed: Record<string, string> = {
    ...call.headers,
    host: call.host,
    'x-amz-date': amzDate,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  };
  const names = Object.keys(signed).sort();
  const signedNames = names.join(';');
  // Every service but S3 encodes the sent path once more here: `%3A` becomes `%253A`.
  const canonicalPath = call.path.split('/').map(awsEncode).join('/');
  const canonicalRequest = [
    call.method,
    canonicalPath,
    call.query ?? '',
    ...names.map((name) => `${name}:${signed[name]?.trim()}`),
    '',
    signedNames,
    sha256Hex(call.body),
  ].join('\n');
  const scope = `${day}/${credentials.region}/${call.service}/aws4_request`;
  const textToSign = ['AWS4-HMAC-SHA256', amzDate, scope, sha256Hex(canonicalRequest)].join('\n');
  const key = [day, credentials.region, call.service, 'aws4_request'].reduce<Buffer | string>(
    hmacSha256,
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = hmacSha256(key, textToSign).toString('hex');
  const { host: _, ...sent } = signed;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`,
  };
}
