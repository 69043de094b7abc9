/** What a user chooses of his notifications, and the prices that he accepts. */
import { eq, sql } from 'drizzle-orm';
import { fail, type Locale } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { isThreshold, isWebhookUrl } from '../../../core/notify-setting.ts';
import { urlOf } from '../../../core/url.ts';
import type { NotifySettingBody } from '../../../core/wire/notify-setting.ts';
import { users } from '../../../db/schema/index.ts';
import type { Deps } from '../../deps.ts';
import {
  localeOf,
  type NotifyDeps,
  notifySetting,
  requirePublic,
  SEALED,
  sendTest,
  webhookOwner,
} from '../../notification/service.ts';
import type { UserRow } from '../../user/service.ts';
import { type CodeDeps, redeemCode } from '../codes.ts';
import { readEmail } from '../mail/address.ts';
import { readAccount } from './account.ts';

type SettingDeps = CodeDeps & NotifyDeps & Pick<Deps, 'db' | 'changes'>;

const TEST_WINDOW_SEC = 600;

/**
 * Stores what is given; null, a field left out and an empty secret keep what is there, and an empty webhook address
 * removes its secret. Throws NOTIFY_THRESHOLD, NOTIFY_WEBHOOK, NOTIFY_WEBHOOK_PRIVATE, NOTIFY_WEBHOOK_NEEDED,
 * NOTIFY_SECRET_AGAIN, CODE_WRONG and the mailbox's refusals.
 */
export async function changeNotifySetting(
  deps: SettingDeps,
  user: { id: number; ip: string; flowId: string | null },
  given: NotifySettingBody,
): Promise<void> {
  const row = await readAccount(deps, user.id);
  const before = notifySetting(row.setting, deps.options);
  const changed: JsonObject = {};

  const type = given.notify_type ?? before.notify_type;
  if (given.notify_type != null) changed.notify_type = type;
  if (given.quota_warning_threshold != null) {
    changed.quota_warning_threshold = readThreshold(given.quota_warning_threshold);
  }
  const url = given.webhook_url?.trim() ?? before.webhook_url;
  if (url !== before.webhook_url) {
    if (url !== '') requireWebhook(deps, url);
    // A secret goes where it was meant to go: somebody at an open browser must not have it sent to himself.
    const isKept = before.webhook_secret_set && !given.webhook_secret;
    if (url !== '' && isKept && !isSameOrigin(url, before.webhook_url)) throw fail('NOTIFY_SECRET_AGAIN');
    changed.webhook_url = url;
    if (url === '') changed[SEALED] = '';
  }
  if (type === 'webhook' && url === '') throw fail('NOTIFY_WEBHOOK_NEEDED');
  if (given.webhook_secret) changed[SEALED] = deps.secrets.seal(given.webhook_secret, webhookOwner(user.id));
  if (given.accept_unset_model_ratio_model != null) {
    changed.accept_unset_model_ratio_model = given.accept_unset_model_ratio_model;
  }
  const email = given.notification_email?.trim() ?? before.notification_email;
  // Last, because it uses the code up.
  if (email !== before.notification_email) {
    const code = given.notification_email_code ?? '';
    changed.notification_email = email && (await provedMailbox(deps, row, { ...user, email, code }));
  }

  if (Object.keys(changed).length === 0) return;
  await deps.changes.commit(async (tx, touch) => {
    await tx
      .update(users)
      // Put over what is there, so that two changes at once both stand.
      .set({ setting: sql`${users.setting} || ${JSON.stringify(changed)}::text::jsonb` })
      .where(eq(users.id, user.id));
    touch('users', user.id);
  });
}

function isSameOrigin(url: string, other: string): boolean {
  const origin = urlOf(url)?.origin;
  return origin !== undefined && origin === urlOf(other)?.origin;
}

function readThreshold(given: number | string): number {
  const threshold = typeof given === 'string' && !/^\d+$/.test(given) ? Number.NaN : Number(given);
  if (!isThreshold(threshold)) throw fail('NOTIFY_THRESHOLD');
  return threshold;
}

function requireWebhook({ outgoing }: NotifyDeps, url: string): void {
  if (!isWebhookUrl(url)) throw fail('NOTIFY_WEBHOOK');
  requirePublic(outgoing, url);
}

/** The account's own mailbox, or one that the code proves: nobody has warnings sent to a stranger. */
async function provedMailbox(
  deps: CodeDeps & Pick<Deps, 'options'>,
  row: UserRow,
  { email, code, flowId }: { email: string; code: string; flowId: string | null },
): Promise<string> {
  const subject = readEmail(deps.options, email);
  const isOwn = subject === row.email.toLowerCase();
  if (!isOwn) await redeemCode(deps, { channel: 'mail', subject, flowId }, code);
  return subject;
}

/** Sends a notice for trial to where he has chosen. Throws RATE_LIMIT, NOTIFY_NOWHERE, MAIL_UNSET, NOTIFY_UNSENT. */
export async function testNotifySetting(deps: SettingDeps, userId: number, locale: Locale): Promise<void> {
  const { ok, retryAfterSec } = await deps.limiter.take({
    key: `notify-test:${userId}`,
    limit: limits.notifyTests,
    windowSec: TEST_WINDOW_SEC,
  });
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
  const row = await readAccount(deps, userId);
  await sendTest(deps, row, row.quota + row.reserved, localeOf(row, locale));
}
