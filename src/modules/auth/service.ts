/** Which ways in and to an account are open, for whoever tells it. */
import { and, count, eq, ne } from 'drizzle-orm';
import { passkeys } from '../../db/schema/index.ts';
import type { Options } from '../../options/store.ts';
import type { Deps } from '../deps.ts';
import type { Sms } from '../sms/service.ts';
import { registrationOpen } from './account/new-account.ts';
import { hostOf, passkeySite } from './passkey/site.ts';

export { reauthenticate, requireProvedOwner } from './account/re-authentication.ts';
export { type TellDeps, tellMailbox } from './mail/tell.ts';
export { rootPassword } from './password/default-password.ts';

/** Whether anybody may make an account with a user name and a password. */
export const passwordRegistrationOpen = (options: Options): boolean =>
  registrationOpen(options) && options.get('PasswordRegisterEnabled');

interface PhoneSwitches {
  options: Options;
  sms: Pick<Sms, 'isSet'>;
}

/** Whether anybody may sign in with a phone number and a code. */
export const phoneLoginOpen = ({ options, sms }: PhoneSwitches): boolean =>
  options.get('PhoneLoginEnabled') && sms.isSet();

/** Whether anybody may make an account with a phone number and a code. */
export const phoneRegistrationOpen = ({ options, sms }: PhoneSwitches): boolean =>
  registrationOpen(options) && options.get('PhoneRegisterEnabled') && sms.isSet();

/** Whether passkeys can be used at the address that is asked. */
export const passkeysOpen = (...asked: Parameters<typeof passkeySite>): boolean =>
  passkeySite(...asked).obstacle === null;

/** How many passkeys would be of no use any more if the public address became this one. */
export async function passkeysLost(
  { db, env, options }: Pick<Deps, 'db' | 'env' | 'options'>,
  address: string,
): Promise<number> {
  // The environment wins over the option.
  if (env.SERVER_ADDRESS || !URL.canParse(address)) return 0;
  const before = options.get('ServerAddress');
  const [row] = await db.orm
    .select({ n: count() })
    .from(passkeys)
    .where(
      and(
        ne(passkeys.rp_id, hostOf(address)),
        // Those of an earlier host are lost already.
        before === '' ? undefined : eq(passkeys.rp_id, hostOf(before)),
      ),
    );
  return row?.n ?? 0;
}
