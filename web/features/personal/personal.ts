/** What the personal settings show, and how it is read. */

import type { NotifySetting } from '@core/notify-setting.ts';
import type { Invited } from '@/features/invitation/invited-list.tsx';
import type { Terms } from '@/features/invitation/terms.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { Api } from '../../lib/api.ts';

export type Provider = 'github' | 'google' | 'oidc' | 'linuxdo' | 'wechat' | 'telegram';

/** The personal view of an account: `GET /api/user/self`. */
export type Account = DataOf<'get', '/api/user/self'>;

export type SessionEntry = DataOf<'get', '/api/user/sessions'>[number];

/** When the access token was made, and last used; 0 for never. */
export type AccessToken = NonNullable<DataOf<'get', '/api/user/token/status'>>;

/** Whether signing in takes a second factor: `GET /api/user/2fa/status`. */
export type TwoFactorStatus = DataOf<'get', '/api/user/2fa/status'>;

/** His passkeys, and whether they can be used here. */
export type OwnPasskeys = DataOf<'get', '/api/user/passkeys'>;
export type Passkey = OwnPasskeys['items'][number];

/** An application that he lets do something for him. */
export type AllowedApp = DataOf<'get', '/api/oauth/grants'>[number];

export interface Personal {
  account: Account;
  models: string[];
  sessions: SessionEntry[];
  /** Null when there is none. */
  accessToken: AccessToken | null;
  twoFactor: TwoFactorStatus;
  passkeys: OwnPasskeys;
  applications: AllowedApp[];
  terms: Terms;
  invited: Invited;
}

export async function loadPersonal(api: Api): Promise<Personal> {
  const [account, models, sessions, accessToken, twoFactor, passkeys, applications, terms, invited] =
    await Promise.all([
      api.get('/api/user/self'),
      api.get('/api/user/models'),
      api.get('/api/user/sessions'),
      api.get('/api/user/token/status'),
      api.get('/api/user/2fa/status'),
      api.get('/api/user/passkeys'),
      api.get('/api/oauth/grants'),
      api.get('/api/user/aff/terms'),
      api.get('/api/user/aff/invited'),
    ]);
  return { account, models, sessions, accessToken, twoFactor, passkeys, applications, terms, invited };
}

export const notifySettingOf = ({ setting }: Account): NotifySetting => JSON.parse(setting) as NotifySetting;

/** What every section is given. */
export interface SectionProps {
  personal: Personal;
}
