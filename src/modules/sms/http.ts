/** Any service with a call of its own: the address and the body are templates. */
import { limits } from '../../core/limits.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import { type CodeMessage, refusalOf, type SmsProvider } from './provider.ts';

export interface HttpSettings {
  /** With `{phone}`, `{code}`, `{sign}`, `{key}` and `{secret}`, as the body. */
  url: string;
  /** Empty sends a GET; JSON is sent as such, everything else as a form. */
  body: string;
  sign: string;
  key: string;
  secret: string;
}

type Values = Readonly<Record<string, string>>;

/** The template with its names filled in, each value written as the place wants it. */
const fill = (template: string, values: Values, write: (value: string) => string): string =>
  template.replace(/\{(\w+)\}/g, (name, key: string) => {
    const value = values[key];
    return value === undefined ? name : write(value);
  });

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);

export const httpSms = (outgoing: Outgoing, { url, body, sign, key, secret }: HttpSettings): SmsProvider => ({
  async send(message: CodeMessage) {
    const values = { ...message, sign, key, secret };
    const isJson = /^\s*[{[]/.test(body);
    const reply = await outgoing.call(fill(url, values, encodeURIComponent), {
      method: body === '' ? 'GET' : 'POST',
      headers:
        body === ''
          ? {}
          : { 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' },
      body: body === '' ? undefined : fill(body, values, isJson ? inJson : encodeURIComponent),
      // Root typed it, and many gateways stand in one's own network.
      allowPrivate: true,
      // Elsewhere nobody may learn the code.
      redirectsMax: 0,
      timeoutMs: limits.smsCallMs,
    });
    if (reply.status < 200 || reply.status > 299) throw refusalOf(`status ${reply.status}`, message);
  },
});
