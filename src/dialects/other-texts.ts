/**
 * Texts of a request that nobody here has read. Upstreams know more fields than any list: templates, documents,
 * predictions, whatever comes next. What is neither read and measured where it is known, nor a setting, is taken for what
 * the model reads, media for media and all else for words, so that no field can be forgotten. A field is known in the
 * shapes that its reader takes and in no other: upstreams are more generous than any of them.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isSealed, mayBeName } from './base64.ts';

/** What of an object is no words of unknown fields. */
export interface Reads {
  /** Fields that are measured for themselves, and those that no model reads: settings, marks, media. */
  readonly fields: ReadonlyMap<string, Shape>;
}

/** Where it differs by what the object is: null for one that is measured as a whole. */
export type ReadsOf = Reads | ((object: JsonObject) => Reads | null);

/** Which values are taken for what a field is known to be. Of numbers and flags any are: they say nothing. */
export interface Shape {
  /** Whether a string is; none is where it is absent. */
  readonly text?: (text: string) => boolean;
  /** What is taken of an object. */
  readonly object?: ReadsOf;
  /** What each value of a list may be. */
  readonly items?: Shape;
  /** Whether all is, whatever it is. */
  readonly isWhole?: true;
}

/** An object that is measured as a whole, or is no model's to read. */
const whole: ReadsOf = () => null;

export const TEXT: Shape = { text: () => true };
/** A setting's word; whatever is longer may be several. */
export const LABEL: Shape = { text: mayBeName };
/** An id, or what only its maker can open: whatever else stands in its place is a text. */
export const SEALED: Shape = { text: isSealed };
/** Measured as a whole in whatever shape it comes. */
export const ANY: Shape = { ...TEXT, object: whole, isWhole: true };
export const object = (inner: ReadsOf): Shape => ({ object: inner });
/** Read or passed over with all that it holds. */
export const OBJECT: Shape = object(whole);
export const list = (items: Shape): Shape => ({ items });
export const either = (...shapes: readonly Shape[]): Shape => Object.assign({}, ...shapes);
/** Several, or one alone. */
export const TEXTS: Shape = either(TEXT, list(TEXT));
export const NUMBERS: Shape = list({});

/** Who speaks, in the words of all wires. It counts as a part of its message; any other word is one more text. */
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'model', 'tool', 'function']);
export const ROLE: Shape = { text: (role) => ROLES.has(role) };

/** The same shape for each of those names. */
export const each = (names: readonly string[], shape: Shape): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, shape]));

/** Fields that hold one text, and those of other shapes. Numbers and flags need no name. */
export const reads = (texts: readonly string[], others: Readonly<Record<string, Shape>> = {}): Reads => ({
  fields: new Map(Object.entries({ ...each(texts, TEXT), ...others })),
});

/** The names of all fields that stand there, at every depth but where they differ by what an object is. */
export const namesRead = ({ fields }: Reads): string[] =>
  [...fields].flatMap(([name, { object: inner }]) => [
    name,
    ...(inner && typeof inner !== 'function' ? namesRead(inner) : []),
  ]);

/** Nothing is read. */
export const NONE: Reads = reads([]);

/** Of objects that name their type: those of another are measured as a whole. */
export const byType =
  (types: Readonly<Record<string, Reads>>, usual = ''): ReadsOf =>
  ({ type = usual }) =>
    (typeof type === 'string' && Object.hasOwn(types, type) && types[type]) || null;

/** Of fields that say one thing the first that says it is read; of another one nobody knows. */
export function firstOf(names: readonly string[], known: readonly string[] = []): ReadsOf {
  const none = reads(known);
  const first = names.map((name) => ({ name, read: reads([...known, name]) }));
  return (given) => first.find(({ name }) => typeof given[name] === 'string')?.read ?? none;
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

function walkObject(given: JsonObject, { fields }: Reads, found: Found): void {
  let names = '';
  for (const name of Object.keys(given)) {
    const value = given[name];
    const shape = fields.get(name);
    if (typeof value === 'string' || (typeof value === 'object' && value !== null)) {
      walkValue(name, value, shape, found);
    } else if (!shape) names += `${name} `;
  }
  if (names.length > NAMES_FREE_CHARS) found.texts.push(names);
}

function walkValue(name: string, value: Json, shape: Shape | undefined, found: Found): void {
  if (shape?.isWhole) return;
  if (typeof value === 'string') {
    if (shape?.text?.(value)) return;
  } else if (Array.isArray(value)) {
    if (shape?.items) {
      for (const item of value) walkValue(name, item, shape.items, found);
      return;
    }
  } else if (isObject(value)) {
    if (shape?.object) {
      const inner = typeof shape.object === 'function' ? shape.object(value as JsonObject) : shape.object;
      if (inner) walkObject(value as JsonObject, inner, found);
      return;
    }
  } else return;
  addValue(found.said(name, value), found.texts);
}

/** What is no string as JSON, which is how templates write it down. */
function addValue(value: Json, texts: string[]): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text !== '' && text !== '[]' && text !== '{}') texts.push(text);
}
