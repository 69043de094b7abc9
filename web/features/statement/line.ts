/** A line of a statement, in words. */
import { own } from '@core/own.ts';
import { lineName, type MovementName } from '@modules/statement/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';

export type StatementLine = DataOf<'get', '/api/user/statement'>['items'][number];

const nameKey = (name: MovementName) => `statement.kind.${name}` as const;

export function kindText(kind: number, t: TFunction): string {
  const name = lineName(kind);
  return name ? t(nameKey(name)) : t('app.unknown');
}

const REFERENCES = {
  redemption: 'statement.ofCode',
  topup: 'statement.ofOrder',
  task: 'statement.ofTask',
  invitation: 'statement.ofInviter',
  invitee: 'statement.ofInvitee',
  new_user: 'statement.ofNewUser',
  fuel_pack: 'statement.ofFuelPack',
  more: 'statement.ofMore',
} as const;

/** What caused it, where there are words for it; an activity by the name that it has. */
export const referenceText = (
  reference: string,
  activities: readonly { id: number; name: string }[],
  t: TFunction,
): string =>
  reference
    .split(' ')
    .map((cause) => {
      const [, name = '', id = ''] = /^(\w+):(\d+)$/.exec(cause) ?? [];
      const activity = name === 'activity' && activities.find((one) => one.id === Number(id));
      if (activity) return t('statement.ofActivity', { name: activity.name });
      const key = own(REFERENCES, name);
      return key ? t(key, { id, count: Number(id) }) : cause;
    })
    .join(t('statement.and'));
