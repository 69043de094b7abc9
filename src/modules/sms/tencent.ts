/** Tencent Cloud: SendSms of 2021-01-11, signed by TC3-HMAC-SHA256. */
import { createHash, createHmac } from 'node:crypto';
import { isObject, parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import { refusalOf, type SmsProvider } from './provider.ts';

/** Where messages to mainland China are sent from. */
const REGION = 'ap-guangzhou';
const COUNTRY = '+86';

export interface TencentSettings {
  url: string;
  /** SecretId and SecretKey. */
  accessKey: string;
  secretKey: string;
  /** SmsSdkAppId. */
  appId: string;
  sign: string;
  templateId: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export interface TencentCall {
  service: string;
  /** The headers that are signed, in the order of their names, in small letters as their values. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Unix seconds. */
  timestamp: number;
}

/** The Authorization header of a POST. */
export function tencentAuthorization(
  { service, headers, body, timestamp }: TencentCall,
  { accessKey, secretKey }: Pick<TencentSettings, 'accessKey' | 'secretKey'>,
): string {
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const request = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n');
  const text = ['TC3-HMAC-SHA256', timestamp, scope, sha256(request)].join('\n');
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  const signature = hmac(key, text).toString('hex');
  return `TC3-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

export const tencentSms = (outgoing: Outgoing, settings: TencentSettings): SmsProvider => ({
  async send(message) {
    const { origin, host } = new URL(settings.url);
    const body = JSON.stringify({
      PhoneNumberSet: [`${COUNTRY}${message.phone}`],
      SmsSdkAppId: settings.appId,
      SignName: settings.sign,
      TemplateId: settings.templateId,
      TemplateParamSet: [message.code],
    });
    const timestamp = nowSec();
    const headers = { 'content-type': 'application/json; charset=utf-8', host, 'x-tc-action': 'sendsms' };
    const reply = await outgoing.call(`${origin}/`, {
      method: 'POST',
      headers: {
        ...headers,
        'x-tc-action': 'SendSms',
        'x-tc-version': '2021-01-11',
        'x-tc-region': REGION,
        'x-tc-timestamp': String(timestamp),
        authorization: tencentAuthorization({ service: 'sms', headers, body, timestamp }, settings),
      },
      body,
      allowPrivate: true,
      redirectsMax: 0,
      timeoutMs: limits.smsCallMs,
    });
    const code = outcomeOf(parseJson(reply.text())) ?? `status ${reply.status}`;
    if (code !== 'Ok') throw refusalOf(code, message);
  },
});

/** `Ok`, or the code of what went wrong: with the call as a whole, or with the one number. */
function outcomeOf(answer: unknown): string | null {
  const response = isObject(answer) && isObject(answer.Response) ? answer.Response : {};
  const [status]: unknown[] = Array.isArray(response.SendStatusSet) ? response.SendStatusSet : [];
  const said = isObject(response.Error) ? response.Error : status;
  return isObject(said) && typeof said.Code === 'string' ? said.Code : null;
}
