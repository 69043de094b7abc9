/** Alibaba Cloud: SendSms of 2017-05-25, signed by its method V3 (ACS3-HMAC-SHA256). */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isObject, parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import { refusalOf, type SmsProvider } from './provider.ts';

export interface AliyunSettings {
  /** The endpoint of the region. */
  url: string;
  accessKey: string;
  secretKey: string;
  sign: string;
  templateCode: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As RFC 3986 says, which leaves fewer characters alone than the platform does. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** The query as it is signed and sent: names in order, everything encoded. */
export const canonicalQuery = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');

export interface AliyunCall {
  host: string;
  action: string;
  version: string;
  query: string;
  /** `2023-10-26T10:22:32Z`. */
  date: string;
  nonce: string;
}

/** The headers of a POST with an empty body. */
export function aliyunHeaders(
  { host, action, version, query, date, nonce }: AliyunCall,
  { accessKey, secretKey }: Pick<AliyunSettings, 'accessKey' | 'secretKey'>,
): Record<string, string> {
  const bodyHash = sha256('');
  const signed = {
    host,
    'x-acs-action': action,
    'x-acs-content-sha256': bodyHash,
    'x-acs-date': date,
    'x-acs-signature-nonce': nonce,
    'x-acs-version': version,
  };
  const names = Object.keys(signed).join(';');
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
  const request = ['POST', '/', query, lines.join(''), names, bodyHash].join('\n');
  const signature = createHmac('sha256', secretKey)
    .update(`ACS3-HMAC-SHA256\n${sha256(request)}`)
    .digest('hex');
  const authorization = `ACS3-HMAC-SHA256 Credential=${accessKey},SignedHeaders=${names},Signature=${signature}`;
  return { ...signed, authorization };
}

export const aliyunSms = (outgoing: Outgoing, settings: AliyunSettings): SmsProvider => ({
  async send(message) {
    const query = canonicalQuery({
      PhoneNumbers: message.phone,
      SignName: settings.sign,
      TemplateCode: settings.templateCode,
      TemplateParam: JSON.stringify({ code: message.code }),
    });
    const { origin, host } = new URL(settings.url);
    const call = {
      host,
      action: 'SendSms',
      version: '2017-05-25',
      query,
      date: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
      nonce: randomBytes(16).toString('hex'),
    };
    const reply = await outgoing.call(`${origin}/?${query}`, {
      method: 'POST',
      headers: { accept: 'application/json', ...aliyunHeaders(call, settings) },
      allowPrivate: true,
      redirectsMax: 0,
      timeoutMs: limits.smsCallMs,
    });
    const answer = parseJson(reply.text());
    const code = isObject(answer) && typeof answer.Code === 'string' ? answer.Code : `status ${reply.status}`;
    if (code !== 'OK') throw refusalOf(code, message);
  },
});
