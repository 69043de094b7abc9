/** What a user may choose of how he is warned when his balance runs low; the console's form judges by the same bounds. */
import { urlOf } from './url.ts';

export const NOTIFY_TYPES = ['email', 'webhook'] as const;
export type NotifyType = (typeof NOTIFY_TYPES)[number];

const WEBHOOK_URL_MAX = 500;
export const WEBHOOK_SECRET_MAX = 200;

/**
 * What `GET /api/user/self` carries in its text `setting`, and what `PUT /api/user/setting` takes back: null or a field
 * left out keeps what is there, other fields are ignored.
 */
export interface NotifySetting {
  notify_type: NotifyType;
  /** Quota units; 0 warns never. The operator's threshold until the user has set one. */
  quota_warning_threshold: number;
  /** https only; empty for none, which removes the secret too. */
  webhook_url: string;
  /** Always empty when read; an empty one that is written keeps the secret. Another host wants it again. */
  webhook_secret: string;
  /** Read only: whether there is a secret. */
  webhook_secret_set: boolean;
  /**
   * Where warnings go by mail; empty: the account's own mailbox. Another one must be proved when it is set: with
   * `notification_email_code`, the code that `GET /api/verification?email=` sent there.
   */
  notification_email: string;
  /** Calls models that have no price of their own, at the high price that they cost then. */
  accept_unset_model_ratio_model: boolean;
}

/** An address that a webhook may have: https, short, and without credentials in it. */
export function isWebhookUrl(text: string): boolean {
  const url = text.length <= WEBHOOK_URL_MAX ? urlOf(text) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}

/** A number of quota units that a threshold may be. */
export const isThreshold = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
