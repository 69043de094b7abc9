/** The groups of users as rows, out of the two options that hold them: GroupRatio and UserUsableGroups. */
import { isObject, parseJson } from '@core/json.ts';

export interface GroupRow {
  name: string;
  /** As typed; empty where only the other option names the group. */
  ratio: string;
  /** What users read of it where they may choose it. */
  description: string;
  usable: boolean;
  /** Added and not saved yet: its name can still be written. */
  isNew?: boolean;
}

export interface GroupTexts {
  ratios: string;
  usable: string;
}

/** The group that every user is in to begin with: it cannot go. */
export const FIRST_GROUP = 'default';

/** The rows of both texts, those with a ratio first; null when a text holds anything but such a map. */
export function groupRows({ ratios, usable }: GroupTexts): GroupRow[] | null {
  const [priced, chosen] = [parseJson(ratios), parseJson(usable)];
  if (!isObject(priced) || !isObject(chosen)) return null;
  const isRatio = (value: unknown) => typeof value === 'number' || typeof value === 'string';
  if (!Object.values(priced).every(isRatio)) return null;
  if (!Object.values(chosen).every((value) => typeof value === 'string')) return null;
  const names = new Set([...Object.keys(priced), ...Object.keys(chosen)]);
  return [...names].map((name) => ({
    name,
    ratio: Object.hasOwn(priced, name) ? String(priced[name]) : '',
    description: Object.hasOwn(chosen, name) ? String(chosen[name]) : '',
    usable: Object.hasOwn(chosen, name),
  }));
}

const NUMBER = /^\d+(\.\d+)?$/;

export const isRatio = (text: string): boolean => NUMBER.test(text.trim());

/** A ratio is written as it was typed: as a number it could come out as another one. What is none is refused by the server. */
const ratioText = (ratio: string): string => (isRatio(ratio) ? plain(ratio.trim()) : JSON.stringify(ratio));

/** JSON knows no leading zeros. */
const plain = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

const mapText = (entries: readonly [string, string][]): string =>
  entries.length === 0
    ? '{}'
    : `{\n${entries.map(([name, value]) => `  ${JSON.stringify(name)}: ${value}`).join(',\n')}\n}`;

/** True when a row above has the same name. */
export const isTwice = (rows: readonly GroupRow[], index: number): boolean =>
  rows.findIndex(({ name }) => name.trim() === rows[index]?.name.trim()) < index;

/** The texts of both options; rows without a name of their own are still being written. */
export function groupTexts(rows: readonly GroupRow[]): GroupTexts {
  const named = rows
    .filter((_, index) => !isTwice(rows, index))
    .map((row) => ({ ...row, name: row.name.trim() }))
    .filter(({ name }) => name !== '');
  return {
    ratios: mapText(
      named.filter(({ ratio }) => ratio.trim() !== '').map(({ name, ratio }) => [name, ratioText(ratio)]),
    ),
    usable: mapText(
      named
        .filter(({ usable }) => usable)
        .map(({ name, description }) => [name, JSON.stringify(description)]),
    ),
  };
}

/** The new text, or the old one where it says the same in another form: that is no change. */
export const changedText = (before: string, after: string): string =>
  JSON.stringify(parseJson(before)) === JSON.stringify(parseJson(after)) ? before : after;
