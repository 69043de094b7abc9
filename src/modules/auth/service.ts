/** Which ways in and to an account are open, for whoever tells it. */
import type { Options } from '../../options/store.ts';
import type { Sms } from '../sms/service.ts';
import { registrationOpen } from './account/new-account.ts';

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
