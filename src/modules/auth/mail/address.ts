/** Which mailboxes may belong to an account, and the one form in which they are compared. */
import { z } from 'zod';
import { fail } from '../../../core/errors.ts';
import type { Options } from '../../../options/store.ts';

const EMAIL_MAX = 50;
const shape = z.email().max(EMAIL_MAX);

/** The address without spaces around it, in small letters. Throws MAIL_ADDRESS, EMAIL_DOMAIN, EMAIL_ALIAS. */
export function readEmail(options: Options, text: string): string {
  const read = shape.safeParse(text.trim().toLowerCase());
  if (!read.success) throw fail('MAIL_ADDRESS');
  const [local = '', domain = ''] = read.data.split('@');
  const listed = options.get('EmailDomainWhitelist').map((line) => line.toLowerCase());
  if (options.get('EmailDomainRestrictionEnabled') && !listed.includes(domain)) throw fail('EMAIL_DOMAIN');
  if (options.get('EmailAliasRestrictionEnabled') && /[+.]/.test(local)) throw fail('EMAIL_ALIAS');
  return read.data;
}
