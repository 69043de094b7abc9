/** A line of a statement, in words. */
import { own } from '@core/own.ts';
import { lineName, type MovementName } from '@modules/statement/facts.ts';
import type { TFunction } from 'i18next';
import type { DataOf } from '@/lib/calls.ts';

export type StatementLine = DataOf<'get', '/api/user/statement'>['items'][number];

const nameKey = (name: MovementName) => `statement.kind.${name}` as const;

export function kindText(kind: number, t: TFunction): string {
  const name = lineName(kind);
  return name ? t(nameKey(name)) : t('app.unknown');
}

const REFERENCES = {
  redemption: 'statement.ofCode',
  topup: 'statement.ofOrder',
  invitation: 'statement.ofInviter',
} as const;

/** What caused it, where there are words for it. */
export function referenceText(reference: string, t: TFunction): string {
  const [, name = '', id] = /^(\w+):(\d+)$/.exec(reference) ?? [];
  const key = own(REFERENCES, name);
  return key && id ? t(key, { id }) : reference;
}
