/** Tells root by webhook and mail what happened to the channels while nobody was looking. */

import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { ROLE } from '../../core/roles.ts';
import type { Locale, Text } from '../../core/text.ts';
import { nowSec } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import type { Options } from '../../options/store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import type { Letter, Mailer } from '../mail/service.ts';

export type AlertType =
  | 'channel_disabled'
  | 'channel_enabled'
  | 'channel_last'
  | 'usage_suspect'
  | 'uses_unasked'
  | 'usage_untold'
  | 'film_longer'
  | 'payment_taken_back'
  | 'payment_voided'
  | 'payment_owed'
  | 'audit_failed'
  | 'gifts_spent';

export interface Alert {
  type: AlertType;
  /** What it is about; of one subject the same is not told twice within an hour. */
  subject: string;
  title: Text;
  /** What there is to say besides. */
  content: Text | null;
}

export interface Alerts {
  /** Returns at once; what cannot be delivered is logged. */
  send(alert: Alert): void;
}

interface AlertDeps {
  db: Pick<Database, 'query'>;
  options: Options;
  outgoing: Outgoing;
  mailer: Mailer;
  log: Logger;
}

/** Milliseconds before each try. */
const TRIES = [0, 2_000, 10_000];
/** A receiver that takes longer has failed this try. */
const CALL_MS = 10_000;

export function createAlerts(
  deps: AlertDeps,
  tries: readonly number[] = TRIES,
  remembered: number = limits.alertsRemembered,
): Alerts {
  const { options, mailer, log } = deps;
  const told = new LRUCache<string, number>({ max: remembered });
  return {
    send(alert) {
      const url = options.get('AlertWebhookUrl');
      const to = mailer.isSet() ? options.get('AlertEmail') : '';
      if ((url === '' && to === '') || isRepeated(told, alert)) return;
      if (to !== '')
        post(deps, to, alert).catch((error: unknown) => log.warn('alert', { type: alert.type, error }));
      if (url === '') return;
      deliver(deps, url, alert, tries).catch((error: unknown) =>
        log.warn('alert', { type: alert.type, error }),
      );
    },
  };
}

/** A letter in the language of the account that has the mailbox; of a mailbox that is nobody's, in root's. */
async function post({ db, options, mailer }: AlertDeps, to: string, alert: Alert): Promise<void> {
  const [reader] = await db.query<{ language: string }>(
    `select language from users where lower(email) = lower($1) or role >= ${ROLE.root}
     order by lower(email) = lower($1) desc, id limit 1`,
    [to],
  );
  const locale: Locale = reader?.language === 'en' ? 'en' : 'zh';
  mailer.post({ to, ...letterOf(alert, options, locale) });
}

const letterOf = ({ title, content }: Alert, options: Options, locale: Locale): Letter => ({
  subject: `[${options.get('SystemName')}] ${title[locale]}`,
  text: content === null ? title[locale] : `${title[locale]}\n\n${content[locale]}`,
});

/** In both languages: nobody knows which one reads a webhook. */
const inBoth = (text: Text | null): string => {
  if (text === null) return '';
  return text.zh === text.en ? text.zh : `${text.zh} · ${text.en}`;
};

/** Changes of state come once by themselves; what stays as it is would be told with every call. */
function isRepeated(told: LRUCache<string, number>, { type, subject }: Alert): boolean {
  const now = performance.now();
  const key = `${type}:${subject}`;
  const at = told.peek(key);
  if (at !== undefined && now - at < limits.alertAgainMs) return true;
  told.set(key, now);
  return false;
}

async function deliver(
  { options, outgoing }: AlertDeps,
  url: string,
  { type, title, content }: Alert,
  tries: readonly number[],
): Promise<void> {
  const secret = options.get('AlertWebhookSecret');
  const body = JSON.stringify({
    type,
    title: inBoth(title),
    content: inBoth(content),
    values: [],
    timestamp: nowSec(),
  });
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    // The same with every try, so that the receiver can tell a repetition.
    'x-webhook-id': crypto.randomUUID(),
  };
  if (secret !== '') {
    headers.authorization = `Bearer ${secret}`;
    headers['x-webhook-signature'] = createHmac('sha256', secret).update(body).digest('hex');
  }
  let reason: unknown;
  for (const waitMs of tries) {
    await Bun.sleep(waitMs);
    try {
      // Root typed the address, so it may be one of his own network.
      const call = {
        method: 'POST',
        headers,
        body,
        allowPrivate: true,
        redirectsMax: 0,
        timeoutMs: CALL_MS,
      } as const;
      const { status } = await outgoing.call(url, call);
      if (status < 300) return;
      reason = new Error(`status ${status}`);
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}
