/** The body of `PUT /api/user/setting`: the fields of `NotifySetting`, judged by rules with texts of their own. */
import { z } from 'zod';
import { NOTIFY_TYPES, WEBHOOK_SECRET_MAX } from '../notify-setting.ts';
import { wireText } from './text.ts';

const TEXT_MAX = 2_000;

export const notifySettingBody = z.object({
  notify_type: z.enum(NOTIFY_TYPES).nullish(),
  /** Also as text, as a form field has it. */
  quota_warning_threshold: z.union([z.number(), z.string().trim().max(20)]).nullish(),
  webhook_url: wireText(TEXT_MAX).nullish(),
  webhook_secret: wireText(WEBHOOK_SECRET_MAX).nullish(),
  notification_email: wireText(TEXT_MAX).nullish(),
  /** The code that proves a notification email other than the account's own. */
  notification_email_code: wireText(TEXT_MAX).nullish(),
  accept_unset_model_ratio_model: z.boolean().nullish(),
});

export type NotifySettingBody = z.infer<typeof notifySettingBody>;
