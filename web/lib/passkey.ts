/** What a browser does with passkeys. Its part of the ceremonies comes with the first use. */

import type { Api } from './api.ts';
import { ApiError } from './api-error.ts';
import type { TFunction } from './i18n.ts';

const webauthn = () => import('@simplewebauthn/browser');

/** The person closed the browser's question, no device answered, or it holds nothing of use: browsers tell these alike. */
async function asked<T>(question: Promise<T>, t: TFunction): Promise<T> {
  try {
    return await question;
  } catch {
    throw new ApiError({
      code: 'PASSKEY_UNFINISHED',
      message: t('passkey.unfinished'),
      status: 0,
      requestId: '',
    });
  }
}

/** Has a device make one, and adds it; with a code where the account asks for codes. Throws ApiError. */
export async function addPasskey(
  api: Api,
  { name, code }: { name: string; code: string },
  t: TFunction,
): Promise<void> {
  const optionsJSON = await api.send('POST', '/api/user/passkeys/begin', { body: { code } });
  const { startRegistration } = await webauthn();
  const response = await asked(startRegistration({ optionsJSON }), t);
  await api.send('POST', '/api/user/passkeys', { body: { name, response } });
}

/** Signs in by one; `second` after the password, in the place of a code. Throws ApiError. */
export async function signInByPasskey(api: Api, { second }: { second: boolean }, t: TFunction) {
  const optionsJSON = await api.send('POST', '/api/user/login/passkey/begin', { body: { second } });
  const { startAuthentication } = await webauthn();
  const response = await asked(startAuthentication({ optionsJSON }), t);
  return api.send('POST', '/api/user/login/passkey', { body: { second, response } });
}
