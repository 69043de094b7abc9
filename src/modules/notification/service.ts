/** How a user is told of his own account: what he has chosen, and sending it there. */
import { setTimeout as pause } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { fail, type Locale, type Text } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { isThreshold, type NotifySetting } from '../../core/notify-setting.ts';
import { users } from '../../db/schema/index.ts';
import { publicAddress } from '../../options/public-address.ts';
import type { Options } from '../../options/store.ts';
import { MailError } from '../../platform/mail.ts';
import { OutgoingError, type OutgoingFault } from '../../platform/outgoing.ts';
import type { Deps } from '../deps.ts';
import { type Notice, noticeLetter, noticeText } from './texts.ts';
import { postWebhook, WebhookError } from './webhook.ts';

/** Whose row a webhook's secret is sealed for. */
export const webhookOwner = (userId: number): string => `user-webhook:${userId}`;

/** Where the sealed secret stands in `users.setting`; the other fields stand under their own names. */
export const SEALED = 'webhook_secret_sealed';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The user's choices as he may see them: whole, and without the secret. */
export function notifySetting(setting: JsonObject, options: Options): NotifySetting {
  const threshold = setting.quota_warning_threshold;
  return {
    notify_type: setting.notify_type === 'webhook' ? 'webhook' : 'email',
    quota_warning_threshold:
      typeof threshold === 'number' && isThreshold(threshold)
        ? threshold
        : options.get('QuotaRemindThreshold'),
    webhook_url: textOf(setting.webhook_url),
    webhook_secret: '',
    webhook_secret_set: textOf(setting[SEALED]) !== '',
    notification_email: textOf(setting.notification_email),
    accept_unset_model_ratio_model: setting.accept_unset_model_ratio_model === true,
  };
}

/** Whether he has accepted to be charged for models that nothing prices. */
export async function acceptsUnset({ db }: Pick<Deps, 'db'>, userId: number): Promise<boolean> {
  const [row] = await db.orm.select({ setting: users.setting }).from(users).where(eq(users.id, userId));
  return row?.setting.accept_unset_model_ratio_model === true;
}

/** What of a user's row telling him needs. */
export interface Told {
  id: number;
  language: string;
  email: string;
  setting: JsonObject;
}

export type NotifyDeps = Pick<Deps, 'options' | 'outgoing' | 'mailer' | 'secrets' | 'env'>;

/** Where his notices go; null when he has named no place. */
function placeOf({ setting, email }: Told, options: Options): 'email' | 'webhook' | null {
  const { notify_type, webhook_url, notification_email } = notifySetting(setting, options);
  if (notify_type === 'webhook') return webhook_url === '' ? null : 'webhook';
  return (notification_email || email) === '' ? null : 'email';
}

/** The one that he has chosen, else the one that he sees just now. */
export const localeOf = ({ language }: Pick<Told, 'language'>, fallback: Locale): Locale =>
  language === 'zh' || language === 'en' ? language : fallback;

/**
 * Sends a notice to the place that he has chosen, once; does nothing when there is none. Rejects with MailError,
 * OutgoingError or WebhookError when it did not arrive.
 */
async function notify(deps: NotifyDeps, user: Told, notice: Notice, locale: Locale): Promise<void> {
  const { options, mailer, secrets, outgoing } = deps;
  const place = placeOf(user, options);
  const setting = notifySetting(user.setting, options);
  const words = noticeText(notice, locale, { ...rulesOf(options), link: linkOf(deps) });
  if (place === 'email') {
    await mailer.send({ to: setting.notification_email || user.email, ...noticeLetter(words) });
  }
  if (place !== 'webhook') return;
  const sealed = textOf(user.setting[SEALED]);
  await postWebhook(outgoing, {
    userId: user.id,
    url: setting.webhook_url,
    secret: sealed === '' ? '' : secrets.open(sealed, webhookOwner(user.id)),
    body: {
      type: notice.type,
      title: words.title,
      content: words.content,
      values: [],
      user_id: user.id,
      quota: notice.quota,
      threshold: notice.threshold,
    },
  });
}

/** Tries again, with pauses, what a fault of the moment may have kept back; no more once the signal aborts. */
export async function notifyPatiently(
  deps: NotifyDeps,
  user: Told,
  notice: Notice,
  signal: AbortSignal,
  pausesMs: readonly number[] = limits.notifyPausesMs,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await notify(deps, user, notice, localeOf(user, 'zh'));
    } catch (error) {
      const pauseMs = pausesMs[tries];
      if (pauseMs === undefined || signal.aborted) throw error;
      await pause(pauseMs, undefined, { signal });
    }
  }
}

/**
 * Tries his settings out. Throws NOTIFY_NOWHERE when he has named no place or the site sends no mail, and NOTIFY_UNSENT
 * with the reason when it did not arrive; what the other side said is not among them.
 */
export async function sendTest(deps: NotifyDeps, user: Told, left: number, locale: Locale): Promise<void> {
  const place = placeOf(user, deps.options);
  if (place === null) throw fail('NOTIFY_NOWHERE');
  if (place === 'email' && !deps.mailer.isSet()) throw fail('MAIL_UNSET');
  const threshold = notifySetting(user.setting, deps.options).quota_warning_threshold;
  await notify(deps, user, { type: 'test', quota: left, threshold }, locale).catch((error: unknown) => {
    const reason = reasonOf(error);
    throw reason ? fail('NOTIFY_UNSENT', { params: { reason }, cause: error }) : error;
  });
}

/** Told apart, names would tell which of them are there inside. */
const NOT_PUBLIC: Text = {
  zh: '域名无法解析，或指向内网',
  en: 'the name does not resolve, or leads into a private network',
};

const FAULTS: Readonly<Record<OutgoingFault, Text>> = {
  'bad-address': { zh: '地址无效', en: 'the address is not valid' },
  'private-address': NOT_PUBLIC,
  'closed-port': { zh: '端口未开放，请使用 443 或 8443', en: 'the port is closed: use 443 or 8443' },
  unresolvable: NOT_PUBLIC,
  busy: { zh: '正在查询的域名过多', en: 'too many names are being looked up' },
  'too-many-redirects': { zh: '跳转次数过多', en: 'too many redirects' },
  'too-large': { zh: '回答过大', en: 'the answer is too large' },
  encoding: { zh: '回答的编码与声明不符', en: 'the answer is not encoded as it says' },
  timeout: { zh: '没有及时回答', en: 'no answer in time' },
  unreachable: { zh: '无法连接', en: 'no connection' },
};

/** Null for a fault of ours. A mail server's own words may name what is the operator's alone. */
function reasonOf(error: unknown): Text | null {
  if (error instanceof OutgoingError) return FAULTS[error.fault];
  if (error instanceof WebhookError) {
    return { zh: `回答的状态码是 ${error.status}`, en: `it answered with status ${error.status}` };
  }
  return error instanceof MailError ? { zh: '邮件发送失败', en: 'the mail could not be sent' } : null;
}

/**
 * Whether an address may be called, as far as it tells that itself: what its name leads to is judged when it is called,
 * since whoever saves would learn which names there are inside. Throws NOTIFY_WEBHOOK_PRIVATE, NOTIFY_WEBHOOK_PORT.
 */
export function requirePublic(outgoing: Deps['outgoing'], url: string): void {
  try {
    outgoing.check(url, { httpsOnly: true });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw fail(error.fault === 'closed-port' ? 'NOTIFY_WEBHOOK_PORT' : 'NOTIFY_WEBHOOK_PRIVATE');
  }
}

const rulesOf = (options: Options) => ({
  site: options.get('SystemName'),
  quotaPerUnit: options.get('QuotaPerUnit'),
  price: options.get('Price'),
  inCurrency: options.get('DisplayInCurrencyEnabled'),
});

/** The page on which quota is added and what it went for is told; empty while nobody has said where the console is. */
function linkOf(deps: Pick<Deps, 'env' | 'options'>): string {
  const address = publicAddress(deps);
  return address === '' ? '' : new URL('/topup', address).href;
}
