/** What the personal settings show, and how it is read. */
import type { NotifySetting } from '@core/notify-setting.ts';
import type { Api } from '../../lib/api.ts';

export type Provider = 'github' | 'google' | 'oidc' | 'linuxdo' | 'wechat' | 'telegram';

/** The personal view of an account: `GET /api/user/self`. */
export interface Account {
  id: number;
  username: string;
  display_name: string;
  role: number;
  group: string;
  email: string;
  phone: string;
  /** What he owns, calls under way included. */
  quota: number;
  used_quota: number;
  request_count: number;
  aff_code: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  /** False for who came by a third party or a phone and never set one. */
  has_password: boolean;
  /** By which name each bound third party knows him. */
  bound: Partial<Record<Provider, string>>;
  /** A `NotifySetting` as text. */
  setting: string;
}

export interface SessionEntry {
  id: string;
  /** Empty when the browser is none of the known ones. */
  browser: string;
  system: string;
  ip: string;
  created_at: number;
  seen_at: number;
  current: boolean;
}

/** When the access token was made, and last used; 0 for never. */
export interface AccessToken {
  created_at: number;
  used_at: number;
}

/** Whether signing in takes a second factor: `GET /api/user/2fa/status`. */
export interface TwoFactorStatus {
  enabled: boolean;
  backup_codes_left: number;
}

export interface Personal {
  account: Account;
  models: string[];
  sessions: SessionEntry[];
  /** Null when there is none. */
  accessToken: AccessToken | null;
  twoFactor: TwoFactorStatus;
}

export async function loadPersonal(api: Api): Promise<Personal> {
  const [account, models, sessions, accessToken, twoFactor] = await Promise.all([
    api.get<Account>('/api/user/self'),
    api.get<string[]>('/api/user/models'),
    api.get<SessionEntry[]>('/api/user/sessions'),
    api.get<AccessToken | null>('/api/user/token/status'),
    api.get<TwoFactorStatus>('/api/user/2fa/status'),
  ]);
  return { account, models, sessions, accessToken, twoFactor };
}

export const notifySettingOf = ({ setting }: Account): NotifySetting => JSON.parse(setting) as NotifySetting;

/** What every section is given. */
export interface SectionProps {
  personal: Personal;
}
