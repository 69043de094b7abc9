/**
 * Signing in with Telegram: its widget hands the visitor's browser some fields about him, signed with the bot's token.
 * Nobody else knows the token, so that fields which bear the signature come from Telegram, of this bot.
 */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { nowSec } from '../../../core/time.ts';
import { wireText } from '../../../core/wire/text.ts';
import type { Options } from '../../../options/store.ts';
import { sameSecret } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';
import type { ThirdParty } from './third-party.ts';

const FIELD_MAX = 1_000;
/**
 * What is signed are lines of `name=value`. A value that held a line break could stand for other fields than the ones
 * that were signed.
 */
const oneLine = wireText(FIELD_MAX).regex(/^\P{Cc}*$/u);

/**
 * The widget's fields and, outside the signature, what our page adds: its language, and the invitation code that the
 * visitor came with. Anything else is no widget's.
 */
export const telegramFields = z.strictObject({
  id: z.string().regex(/^\d{1,20}$/),
  first_name: oneLine.optional(),
  last_name: oneLine.optional(),
  username: oneLine.optional(),
  photo_url: oneLine.optional(),
  auth_date: z.string().regex(/^\d{1,12}$/),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  lang: oneLine.optional(),
  aff: oneLine.optional(),
});

/** In the order in which they are signed. */
const SIGNED = ['auth_date', 'first_name', 'id', 'last_name', 'photo_url', 'username'] as const;

export type TelegramFields = z.infer<typeof telegramFields>;

/** The number that a bot's token begins with; it is no secret. Null for what is no token. */
const botIdOf = (token: string): string | null => /^(\d+):[\w-]+$/.exec(token)?.[1] ?? null;

/** The bot to sign in with; null unless it is switched on and whole. */
export function telegramBot(options: Options): { id: string; name: string; token: string } | null {
  const [name, token] = [options.get('TelegramBotName'), options.get('TelegramBotToken')];
  const id = botIdOf(token);
  return options.get('TelegramOAuthEnabled') && name !== '' && id !== null ? { id, name, token } : null;
}

/**
 * Whose Telegram account the fields speak of. Throws OAUTH_OFF, and TELEGRAM_PROOF for fields that this bot has not
 * signed, or not just now.
 */
export function readTelegram(options: Options, fields: TelegramFields): ThirdParty {
  const bot = telegramBot(options);
  if (!bot) throw fail('OAUTH_OFF', { params: { provider: { zh: 'Telegram', en: 'Telegram' } } });
  const lines = SIGNED.flatMap((name) => (fields[name] === undefined ? [] : [`${name}=${fields[name]}`]));
  const key = createHash('sha256').update(bot.token).digest();
  const right = createHmac('sha256', key).update(lines.join('\n')).digest('hex');
  const age = nowSec() - Number(fields.auth_date);
  const isFresh = age <= limits.telegramProofSec && age >= -limits.telegramAheadSec;
  if (!sameSecret(fields.hash, right) || !isFresh) throw fail('TELEGRAM_PROOF');
  return {
    provider: 'telegram',
    title: { zh: 'Telegram', en: 'Telegram' },
    prefix: 'tg',
    issuers: [''],
    subject: fields.id,
    loginName: fields.username ?? '',
    displayName: [fields.first_name, fields.last_name].filter(Boolean).join(' '),
    email: '',
  };
}

/** Uses the signed fields up, once they have been read. Throws TELEGRAM_PROOF when somebody has used them before. */
export async function spendTelegram(
  { oneTime }: Pick<Deps, 'oneTime'>,
  { hash }: Pick<TelegramFields, 'hash'>,
): Promise<void> {
  const keptSec = limits.telegramProofSec + limits.telegramAheadSec + 1;
  if (!(await oneTime.claim(`telegram:${hash}`, keptSec))) throw fail('TELEGRAM_PROOF');
}
