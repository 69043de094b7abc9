/**
 * Texts of a request that nobody here has read. Upstreams know more fields than any list: templates, documents,
 * predictions, whatever comes next. What is neither read and measured where it is known, nor a setting, is taken for what
 * the model reads, media for media and all else for words, so that no field can be forgotten.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';

/** What of an object is no words of unknown fields. */
export interface Reads {
  /** Fields that are measured for themselves, and those that no model reads: settings, marks, media. */
  readonly known: ReadonlySet<string>;
  /** Fields that hold such objects again, or lists of them. */
  readonly within: ReadonlyMap<string, ReadsOf>;
  /** Those of them in whose place a string is read, too. */
  readonly said: ReadonlySet<string>;
}

/** Where it differs by what the object is: null for one that is measured as a whole. */
export type ReadsOf = Reads | ((object: JsonObject) => Reads | null);

export const reads = (
  known: readonly string[],
  within: Readonly<Record<string, ReadsOf>> = {},
  said: readonly string[] = [],
): Reads => ({ known: new Set(known), within: new Map(Object.entries(within)), said: new Set(said) });

/** The names of all fields that stand there, at every depth but where they differ by what an object is. */
export const namesRead = ({ known, within }: Reads): string[] => [
  ...known,
  ...[...within].flatMap(([name, inner]) => [name, ...(typeof inner === 'function' ? [] : namesRead(inner))]),
];

/** Nothing is read. */
export const NONE: Reads = reads([]);

/** An object that is measured as a whole; a string in its place is not. */
export const whole: ReadsOf = () => null;

/** Of objects that name their type: those of another are measured as a whole. */
export const byType =
  (types: Readonly<Record<string, Reads>>, usual = ''): ReadsOf =>
  ({ type = usual }) =>
    (typeof type === 'string' && Object.hasOwn(types, type) && types[type]) || null;

/** Of fields that say one thing the first that says it is read; of another one nobody knows. */
export function firstOf(names: readonly string[], known: readonly string[] = []): ReadsOf {
  const none = reads(known);
  const each = names.map((name) => ({ name, read: reads([...known, name]) }));
  return (object) => each.find(({ name }) => typeof object[name] === 'string')?.read ?? none;
}

/** What a field says that nobody knows, without what of it is no text. */
export type Said = (field: string, value: Json) => Json;

/** Where `said` is not given, all is text. */
export function otherTexts(body: JsonObject, known: Reads, said: Said = (_, value) => value): string[] {
  const found: Found = { texts: [], said };
  walkObject(body, known, found);
  return found.texts;
}

interface Found {
  texts: string[];
  said: Said;
}

/** A number or a flag is no text, and neither is its name, unless there are more such names than any vendor has. */
const NAMES_FREE_CHARS = 512;

function walkObject(object: JsonObject, { known, within, said }: Reads, found: Found): void {
  let names = '';
  for (const name of Object.keys(object)) {
    if (known.has(name)) continue;
    const value = object[name];
    const inner = within.get(name);
    if (inner) walkValue(value, inner, said.has(name) ? [] : found.texts, found);
    else if (typeof value === 'string' || (typeof value === 'object' && value !== null)) {
      addValue(found.said(name, value), found.texts);
    } else names += `${name} `;
  }
  if (names.length > NAMES_FREE_CHARS) found.texts.push(names);
}

/** `strings` gets those that stand in the place of an object. */
function walkValue(value: Json | undefined, known: ReadsOf, strings: string[], found: Found): void {
  if (typeof value === 'string') add(value, strings);
  else if (Array.isArray(value)) for (const item of value) walkValue(item, known, strings, found);
  else if (isObject(value)) {
    const inner = typeof known === 'function' ? known(value as JsonObject) : known;
    if (inner) walkObject(value as JsonObject, inner, found);
  }
}

function add(text: string, texts: string[]): void {
  if (text !== '') texts.push(text);
}

/** What is no string as JSON, which is how templates write it down. */
function addValue(value: Json, texts: string[]): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text !== '[]' && text !== '{}') add(text, texts);
}
