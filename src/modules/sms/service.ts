/** The site's text messages: through which service is settings, so that a change of them counts with the next one. */
import { fail } from '../../core/errors.ts';
import type { Env } from '../../env.ts';
import type { Options } from '../../options/store.ts';
import { ALIYUN_SMS_URL, TENCENT_SMS_URL } from '../../options/usual-addresses.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import { aliyunSms } from './aliyun.ts';
import { httpSms } from './http.ts';
import type { CodeMessage, SmsProvider } from './provider.ts';
import { tencentSms } from './tencent.ts';

export interface Sms {
  /** Whether there is a service to send through. */
  isSet(): boolean;
  /** Resolves when the service has taken the message. Throws SMS_UNSET, SMS_UNSENT. */
  sendCode(message: CodeMessage): Promise<void>;
}

interface SmsDeps {
  env: Pick<Env, 'SMS_URL'>;
  options: Options;
  outgoing: Outgoing;
  log: Logger;
}

export function createSms(deps: SmsDeps): Sms {
  return {
    isSet: () => providerOf(deps) !== null,
    async sendCode(message) {
      const provider = providerOf(deps);
      if (!provider) throw fail('SMS_UNSET');
      try {
        await provider.send(message);
      } catch (error) {
        const { name, message: reason } = error instanceof Error ? error : new Error(String(error));
        // Never the error whole: its cause may quote the address, in which number and code may stand.
        deps.log.warn('sms', { provider: deps.options.get('sms.provider'), error: name, reason });
        throw fail('SMS_UNSENT');
      }
    },
  };
}

/** The service of the settings, or null when there is none or something that it needs is missing. */
function providerOf({ env, options, outgoing, log }: SmsDeps): SmsProvider | null {
  const provider = options.get('sms.provider');
  const url = options.get('sms.url');
  const accessKey = options.get('sms.access_key');
  const secretKey = options.get('sms.secret_key');
  const sign = options.get('sms.sign_name');
  const template = options.get('sms.template');
  const http = { sign, key: accessKey, secret: secretKey };
  if (env.SMS_URL !== '') {
    return httpSms(outgoing, { ...http, url: env.SMS_URL, body: provider === 'http' ? template : '' });
  }
  const isSigned = accessKey !== '' && secretKey !== '' && sign !== '' && template !== '';
  switch (provider) {
    case 'none':
      return null;
    case 'http':
      return url === '' ? null : httpSms(outgoing, { ...http, url, body: template });
    case 'aliyun':
      if (!isSigned) return null;
      return aliyunSms(outgoing, {
        url: url || ALIYUN_SMS_URL,
        accessKey,
        secretKey,
        sign,
        templateCode: template,
      });
    case 'tencent': {
      const appId = options.get('sms.app_id');
      if (!isSigned || appId === '') return null;
      return tencentSms(outgoing, {
        url: url || TENCENT_SMS_URL,
        accessKey,
        secretKey,
        appId,
        sign,
        templateId: template,
      });
    }
    case 'log':
      return logSms(log);
  }
}

/** For development, and only when it is chosen by name: the one place where a code reaches the log. */
const logSms = (log: Logger): SmsProvider => ({
  async send({ phone, code }) {
    log.info('sms.development', { phone, sms: code });
  },
});
