/** A row of the record of actions, and how it is put into words. */

import { ADMIN_ACTIONS, ADMIN_SUBJECTS, isAdminAction } from '@core/admin-actions.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';

export type ActionRow = DataOf<'get', '/api/admin_action'>['items'][number];

/** Older versions may have known other actions. */
export const actionText = (action: string, t: TFunction): string =>
  isAdminAction(action) ? t(`adminLog.action.${action}`) : action;

/** All of a kind first, then each action of it. */
export const actionChoices = (t: TFunction): { value: string; label: string }[] =>
  ADMIN_SUBJECTS.flatMap((subject) => {
    const own = ADMIN_ACTIONS.filter((action) => action.startsWith(`${subject}.`));
    const each = own.map((value) => ({ value, label: `· ${actionText(value, t)}` }));
    return [{ value: own.length > 0 ? subject : 'setup', label: t(`adminLog.subject.${subject}`) }, ...each];
  });

/** One thing as the filter takes it, with its name; all of a kind in words. */
export function targetText({ target, target_name }: Pick<ActionRow, 'target' | 'target_name'>, t: TFunction) {
  const kind = ADMIN_SUBJECTS.find((subject) => target === subject || target === `${subject}s`);
  if (kind) return t(`adminLog.subject.${kind}`);
  return target_name === '' ? target : `${target_name} (${target})`;
}
