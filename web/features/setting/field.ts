/** A field of the settings page as the registry declares it: what may stand in it, and in which words it is told. */

import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';

export type OptionField = DataOf<'get', '/api/option/fields'>[number];

/** The fields under their headings, in the order of their declaration. */
export function blocksOf(fields: readonly OptionField[]): [string, OptionField[]][] {
  const blocks = new Map<string, OptionField[]>();
  for (const field of fields) blocks.set(field.block, [...(blocks.get(field.block) ?? []), field]);
  return [...blocks];
}

/** The fields that every word of a search is found in: in the name, the key or the help. */
export function matching(fields: readonly OptionField[], text: string): OptionField[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return fields.filter(({ label, key, help = '' }) => {
    const all = `${label}\n${key}\n${help}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** A value as readers are told it: what a switch or a choice stands at, in words. */
export function valueText({ kind, choices }: OptionField, text: string, t: TFunction): string {
  if (kind === 'boolean') return t(text === 'true' ? 'setting.on' : 'setting.off');
  return choices?.find(({ value }) => value === text)?.label ?? text;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const NUMBER = { integer: /^-?\d+$/, decimal: /^-?\d+(\.\d{1,12})?$/ } as const;

/** What can be seen to be wrong with a text before it is sent; the server judges the rest. */
export function fieldError(field: OptionField, text: string, t: TFunction): string | undefined {
  const { kind, min, max } = field;
  if (kind === 'json') return isJson(text) ? undefined : t('setting.badJson');
  if (kind === 'text')
    return max !== undefined && text.length > max ? t('setting.tooLong', { max }) : undefined;
  if (kind !== 'integer' && kind !== 'decimal') return undefined;
  const typed = text.trim();
  if (!NUMBER[kind].test(typed)) return t(kind === 'integer' ? 'setting.notWhole' : 'setting.notNumber');
  if (min !== undefined && Number(typed) < min) return t('setting.tooSmall', { min });
  if (max !== undefined && Number(typed) > max) return t('setting.tooLarge', { max });
  return undefined;
}

/** What is sent for a text: null goes back to the default, which then stays the default. */
export const sentValue = (field: OptionField, text: string): string | null =>
  field.default !== undefined && text === field.default ? null : text;

/** Switches go off before what they need is emptied, and on after it has been filled. */
const rank = (field: OptionField, text: string): number => {
  if (field.kind !== 'boolean') return 1;
  return text === 'true' ? 2 : 0;
};

export const inSavingOrder = (changed: readonly [OptionField, string][]): [OptionField, string][] =>
  [...changed].sort(([a, left], [b, right]) => rank(a, left) - rank(b, right));

type Changed = readonly [OptionField, string];

/** What is saved in one call: a secret and the options that form its address together, all else alone. */
export function savedTogether(changed: readonly Changed[]): Changed[][] {
  const groups = new Map<string, Changed[]>();
  for (const one of changed) {
    const name = one[0].with_secret ?? one[0].key;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups.values()];
}

export interface Difference {
  /** Of one entry of a JSON object its name, else empty. */
  name: string;
  /** Null: was not there, or will not be. */
  before: string | null;
  after: string | null;
}

const objectOf = (text: string): Record<string, unknown> | null => {
  if (!isJson(text)) return null;
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
};

function shown(object: Record<string, unknown>, name: string): string | null {
  if (!Object.hasOwn(object, name)) return null;
  const value = object[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a change of text changes: of JSON objects entry by entry, else the whole. */
export function differencesOf(before: string, after: string): Difference[] {
  const [old, next] = [objectOf(before), objectOf(after)];
  if (!old || !next) return [{ name: '', before, after }];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .map((name) => ({ name, before: shown(old, name), after: shown(next, name) }))
    .filter((one) => one.before !== one.after);
}
