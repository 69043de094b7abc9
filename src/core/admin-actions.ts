/** What administrators do, by name, and how the record of an action tells what it changed. The server writes it, the page reads it. */
import { isObject, type Json, type JsonObject } from './json.ts';

/** Every kind of action there is; the part before the dot is what it acts on. */
export const ADMIN_ACTIONS = [
  'setup',
  'root.password',
  'user.create',
  'user.update',
  'user.quota',
  'user.promote',
  'user.demote',
  'user.disable',
  'user.enable',
  'user.delete',
  'user.self_delete',
  'user.erase',
  'user.two_factor_off',
  'user.passkey_remove',
  'user.supplier_balance',
  'channel.create',
  'channel.update',
  'channel.delete',
  'channel.copy',
  'channel.delete_many',
  'channel.delete_disabled',
  'channel.enable',
  'channel.disable',
  'channel.tag',
  'channel.tag_edit',
  'channel.keys_enable',
  'channel.fix',
  'channel.test_all',
  'channel.test_cancel',
  'channel.balance_all',
  'channel.balance_cancel',
  'option.set',
  'option.reset',
  'option.reset_ratios',
  'log.delete',
  'model_hub.save',
  'redemption.create',
  'redemption.update',
  'redemption.enable',
  'redemption.disable',
  'redemption.delete',
  'redemption.delete_invalid',
  'redemption.reveal',
  'activity.create',
  'activity.update',
  'activity.reward',
  'prompt.create',
  'prompt.update',
  'prompt.delete',
  'supplier.create',
  'supplier.update',
  'ai_role.create',
  'ai_role.update',
  'ai_role.delete',
  'application.create',
  'application.update',
  'application.delete',
  'application.delete_many',
  'topup.check',
  'topup.complete',
  'topup.void',
  'topup.refund',
  'oauth_app.create',
  'oauth_app.update',
  'oauth_app.secret',
  'oauth_app.delete',
] as const;
export type AdminActionName = (typeof ADMIN_ACTIONS)[number];

export const isAdminAction = (name: string): name is AdminActionName =>
  ADMIN_ACTIONS.some((one) => one === name);

/** What actions act on. */
export const ADMIN_SUBJECTS = [
  'user',
  'channel',
  'option',
  'model_hub',
  'log',
  'root',
  'setup',
  'redemption',
  'activity',
  'prompt',
  'supplier',
  'ai_role',
  'application',
  'topup',
  'oauth_app',
] as const;

/** Stands for a secret that is another one now; its values are told nowhere. */
export const SECRET_CHANGED = 'changed';

/** One field's change: without `before` it is new, without `after` it is gone. */
export type FieldChange = { before?: Json; after?: Json } | typeof SECRET_CHANGED;
export type Changes = Record<string, FieldChange>;

/** The fields in which two states of a thing differ. A field that only one of them has came or went. */
export function changesBetween(before: JsonObject, after: JsonObject): Changes {
  const changes: Changes = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (sameJson(before[name], after[name])) continue;
    changes[name] = {
      ...(before[name] !== undefined && { before: before[name] }),
      ...(after[name] !== undefined && { after: after[name] }),
    };
  }
  return changes;
}

/** Two tables as one change, without the entries in which they are alike: a price list is long. Empty when they are alike. */
export function tableChange(name: string, before: JsonObject, after: JsonObject): Changes {
  const names = Object.keys(changesBetween(before, after));
  if (names.length === 0) return {};
  const differing = (table: JsonObject): JsonObject =>
    Object.fromEntries(names.filter((each) => Object.hasOwn(table, each)).map((each) => [each, table[each]]));
  return { [name]: { before: differing(before), after: differing(after) } };
}

const sameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));

const isChange = (value: Json | undefined): value is FieldChange & Json =>
  value === SECRET_CHANGED ||
  (isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.keys(value).every((key) => key === 'before' || key === 'after'));

/** One line of a record: texts of before and after; null where there was, or is, nothing. */
export interface Difference {
  /** `setting.proxy` of an entry within a field; empty where the target itself is what changed. */
  name: string;
  before: string | null;
  after: string | null;
  isSecret?: true;
}

/** A record taken apart: what changed, and what else it tells. */
export interface ReadDetail {
  differences: Difference[];
  facts: { name: string; value: string }[];
}

export function readDetail(detail: JsonObject): ReadDetail {
  const { before, after, ...rest } = detail;
  const entries = Object.entries(rest);
  return {
    differences: [
      // Older records hold both sides of the whole.
      ...(before !== undefined || after !== undefined ? differencesIn('', before, after) : []),
      ...entries.flatMap(([name, value]) => {
        if (!isChange(value)) return [];
        return value === SECRET_CHANGED
          ? [{ name, before: null, after: null, isSecret: true as const }]
          : differencesIn(name, value.before, value.after);
      }),
      // What came empty, or went so, changed nothing.
    ].filter(({ before, after, isSecret }) => isSecret || (before ?? '') !== (after ?? '')),
    facts: entries.flatMap(([name, value]) => (isChange(value) ? [] : [{ name, value: textOf(value) }])),
  };
}

/** Of objects entry by entry, of lists what came and what went, else the whole. */
function differencesIn(name: string, before: Json | undefined, after: Json | undefined): Difference[] {
  if (isJsonObject(before ?? after) && isJsonObject(after ?? before)) {
    const [old, next] = [objectOf(before), objectOf(after)];
    return Object.entries(changesBetween(old, next)).flatMap(([entry, change]) =>
      change === SECRET_CHANGED
        ? []
        : differencesIn(name ? `${name}.${entry}` : entry, change.before, change.after),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, next] = [before.map(textOf), after.map(textOf)];
    const listed = (texts: string[], others: string[]) =>
      texts.filter((text) => !others.includes(text)).join(', ');
    const [gone, come] = [listed(old, next), listed(next, old)];
    // The same in another order is a change as well.
    if (gone === '' && come === '') return [{ name, before: old.join(', '), after: next.join(', ') }];
    return [{ name, before: gone || null, after: come || null }];
  }
  return [{ name, before: sideOf(before), after: sideOf(after) }];
}

const isJsonObject = (value: Json | undefined): value is JsonObject =>
  isObject(value) && !Array.isArray(value);
const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const sideOf = (value: Json | undefined): string | null => (value === undefined ? null : textOf(value));
const textOf = (value: Json | undefined): string => {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(textOf).join(', ') : (JSON.stringify(value) ?? '');
};
