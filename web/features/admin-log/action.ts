/** A row of the record of actions, and how it is put into words. */
import { ADMIN_ACTIONS, ADMIN_SUBJECTS, type Difference, isAdminAction } from '@core/admin-actions.ts';
import type { TFunction } from 'i18next';

export interface ActionRow {
  id: number;
  created_at: number;
  actor_id: number;
  /** As he is called today. */
  actor_name: string;
  action: string;
  /** Like `user:7`. */
  target: string;
  target_name: string;
  ip: string;
  /** The first of what changed. */
  changes: Difference[];
  change_count: number;
}

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
