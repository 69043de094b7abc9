/** Coming in, and making an account, with a phone number and the code that went there. */
import { and, eq, isNull } from 'drizzle-orm';
import { isPhoneNumber } from '../../../core/account-rules.ts';
import { AppError, fail } from '../../../core/errors.ts';
import { users } from '../../../db/schema/index.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../user/service.ts';
import { type OpenDeps, openNamelessAccount, spendAccount } from '../account/new-account.ts';
import { spendPass } from '../captcha/captcha.ts';
import { type CodeDeps, issueCode, redeemCodeAfter } from '../codes.ts';
import { sendWithin } from '../messages.ts';
import { phoneLoginOpen, phoneRegistrationOpen } from '../service.ts';

type PhoneDeps = CodeDeps & OpenDeps & Pick<Deps, 'sms'>;

/** What a solved captcha opens here. */
export const SMS_PASS = 'sms-code';

const NAME_PREFIX = 'user';

/** The number without spaces around it. Throws PHONE_NEEDED, PHONE_INVALID. */
function readPhone(text: string): string {
  const phone = text.trim();
  if (phone === '') throw fail('PHONE_NEEDED');
  if (!isPhoneNumber(phone)) throw fail('PHONE_INVALID');
  return phone;
}

/**
 * Sends a code to the number, whether or not it has an account, for a captcha that was solved just before. Throws
 * PHONE_NEEDED, PHONE_INVALID, SMS_UNSET, LOGIN_METHOD_CLOSED, CAPTCHA_NEEDED, RATE_LIMIT, SMS_UNSENT.
 */
export async function sendPhoneCode(
  deps: PhoneDeps,
  given: { phone: string; ip: string; known: string | null; flowId: string },
): Promise<void> {
  const phone = readPhone(given.phone);
  if (!deps.sms.isSet()) throw fail('SMS_UNSET');
  if (!phoneLoginOpen(deps) && !phoneRegistrationOpen(deps)) throw fail('LOGIN_METHOD_CLOSED');
  const { ip, known, flowId } = given;
  await spendPass(deps, { purpose: SMS_PASS, flowId, ip });
  const message = { kind: 'phone', subject: phone, ip, known } as const;
  await sendWithin(
    deps,
    message,
    () => ownerOf(deps, phone),
    async () => {
      const code = await issueCode(deps, { channel: 'phone', subject: phone, flowId });
      await deps.sms.sendCode({ phone, code });
    },
  );
}

export interface PhoneArrival {
  phone: string;
  code: string;
  /** Of who invited him; empty for nobody. */
  affCode: string;
  ip: string;
  /** Of this browser; null when it has none. */
  flowId: string | null;
}

/**
 * The account that the number and its code open; a new one where there is none and registration by phone is open. That
 * a number has an account is said only to who has its code. Throws PHONE_NEEDED, PHONE_INVALID, CODE_NEEDED,
 * LOGIN_METHOD_CLOSED, CODE_WRONG, RATE_LIMIT, PHONE_UNKNOWN.
 */
export async function enterByPhone(deps: PhoneDeps, given: PhoneArrival): Promise<UserRow> {
  const phone = readPhone(given.phone);
  if (!phoneLoginOpen(deps)) throw fail('LOGIN_METHOD_CLOSED');
  await proveNumber(deps, phone, given);
  const known = await ownerOf(deps, phone);
  if (known) return known;
  if (!phoneRegistrationOpen(deps)) throw fail('PHONE_UNKNOWN');
  await openByPhone(deps, phone, given).catch((error: unknown) => {
    // He came twice at once; the other one has made his account.
    if (!(error instanceof AppError && error.code === 'PHONE_TAKEN')) throw error;
  });
  const made = await ownerOf(deps, phone);
  if (!made) throw fail('PHONE_UNKNOWN');
  return made;
}

/**
 * Makes an account. Throws PHONE_NEEDED, PHONE_INVALID, CODE_NEEDED, REGISTER_CLOSED, CODE_WRONG, RATE_LIMIT,
 * PHONE_TAKEN.
 */
export async function registerByPhone(deps: PhoneDeps, given: PhoneArrival): Promise<void> {
  const phone = readPhone(given.phone);
  if (!phoneRegistrationOpen(deps)) throw fail('REGISTER_CLOSED');
  await proveNumber(deps, phone, given);
  if (await ownerOf(deps, phone)) throw fail('PHONE_TAKEN');
  await openByPhone(deps, phone, given);
}

/** Where the number has no account yet, one more of the address's is counted before the code is used up. */
async function proveNumber(
  deps: PhoneDeps,
  phone: string,
  { code, ip, flowId }: PhoneArrival,
): Promise<void> {
  if (code.trim() === '') throw fail('CODE_NEEDED');
  await redeemCodeAfter(deps, { channel: 'phone', subject: phone, flowId }, code, async () => {
    if (phoneRegistrationOpen(deps) && !(await ownerOf(deps, phone))) await spendAccount(deps, ip);
  });
}

async function openByPhone(deps: PhoneDeps, phone: string, { affCode }: PhoneArrival): Promise<void> {
  await openNamelessAccount(deps, NAME_PREFIX, { passwordHash: null, phone, affCode });
}

async function ownerOf({ db }: Pick<Deps, 'db'>, phone: string): Promise<UserRow | undefined> {
  const [row] = await db.orm
    .select()
    .from(users)
    .where(and(eq(users.phone, phone), isNull(users.deleted_at)));
  return row;
}
