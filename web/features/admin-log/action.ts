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

export const targetText = ({ target, target_name }: Pick<ActionRow, 'target' | 'target_name'>): string =>
  target_name === '' ? target : `${target_name} (${target})`;
