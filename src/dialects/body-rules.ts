/**
 * What of a caller's body may go upstream, in one walk over its names: fields of the gateway in the one spelling by
 * which they were read, and nothing that the operator's account keeps unless that is shared. Each dialect that callers
 * speak states its rules; unknown fields stay as they are.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { onceOf } from '../core/once-of.ts';
import {
  ACCOUNT,
  ADDRESSES,
  ANYWHERE,
  isOfUnknownTool,
  type Keeps,
  named,
  namesBucket,
  SAID,
  TEXTS,
} from './account.ts';
import { isAbsent } from './bounds.ts';
import type { Dialect } from './dialect.ts';
import { CAPS, FIELDS, PICTURE_FIELDS, UNREAD_OF_PICTURES } from './gateway-fields.ts';
import { camelOf, folded, readings, snakeOf } from './spelling.ts';

export interface BodyRules {
  /** The words for how much may be written which this wire is read by. Any other one has no business in it. */
  caps: readonly string[];
  /** Fields that calls of this wire are read by, whether or not they are the gateway's: no other spelling of one goes up. */
  own?: readonly string[];
  /** Asks for pictures, whose size and quality go up in the words by which they are priced and in no others. */
  draws?: true;
  /** Fields that say again what another one says: beside that one they do not go up. */
  yields?: Readonly<Record<string, string>>;
  /** Made of protobuf: every field is read in two spellings, of which one goes up. */
  twins?: readonly string[];
  /** Fields that hold lists, in whose place the wire takes one value for a list of one: that goes up as a list. */
  lists?: readonly string[];
  /** Fields whose values are the caller's own data: nothing in them is a field of the wire. */
  opaque: readonly string[];
  /** What the account keeps in this wire's own words; false for a word that here means something else. */
  kept?: Readonly<Record<string, Keeps | false>>;
}

/** A dialect that callers speak. */
export interface CallersDialect extends Dialect {
  readonly rules: BodyRules;
  /** Where its callers ask for a chat; absent where the path names the model too. */
  readonly path?: string;
  /** A body with what its callers say in the words of other wires put into its own; the same object where nothing is. */
  inItsWords?(body: JsonObject): JsonObject;
  /** Whether a call of a path that there is not comes from a client of this dialect. */
  isClient?(path: string, headers: Headers): boolean;
}

/** What the walk found in a body. */
export interface RuledBody {
  /** The same object where nothing had to go. */
  body: JsonObject;
  /** Names of what was left out. */
  dropped: readonly string[];
  /** The first field that names what the account keeps. */
  kept?: string;
}

/** What is known of a name and all that folds to it. */
interface Known {
  /** How a field of the gateway is spelled; with twins, the one that stays beside the other. */
  spelling?: string;
  twin?: string;
  /** Says how much may be written, in words that this wire is not read by. */
  isForeignCap?: boolean;
  /** Says what nobody here reads of a picture, or what is read at the top of a body alone. */
  isUnread?: boolean;
  isOfTop?: boolean;
  /** The field beside which it does not go up. */
  yieldsTo?: string;
  isList?: boolean;
  isOpaque?: boolean;
  isContainer?: boolean;
  /** Holds texts, in which a bucket is only spoken of. */
  isSaid?: boolean;
  keeps?: Keeps;
}

/** What holds the caller's own names on every wire: JSON Schema, and headers for servers of his. */
export const OPAQUE: readonly string[] = ['properties', '$defs', 'definitions', 'headers'];

/** Objects in which wires keep settings that others have at the top. */
export const CONTAINERS: readonly string[] = [
  'generation_config',
  'inference_config',
  'options',
  'parameters',
  'parameter',
  'extra_body',
];

type Names = ReadonlyMap<string, Known>;

/** What is known of names, to be filled in. */
function unfilled(): { names: Names; at(name: string): Known } {
  const names = new Map<string, Known>();
  const at = (name: string): Known => {
    const key = folded(name);
    const known = names.get(key) ?? {};
    names.set(key, known);
    return known;
  };
  return { names, at };
}

function compile({
  caps,
  own = [],
  draws,
  yields = {},
  twins,
  lists = [],
  opaque,
  kept = {},
}: BodyRules): Names {
  const { names, at } = unfilled();
  const drawn = draws ? PICTURE_FIELDS : [];
  const ofWire = [...own, ...(twins ?? [])].map((name) => (twins ? snakeOf(name) : name));
  for (const name of [...FIELDS, ...drawn, ...ofWire]) {
    Object.assign(at(name), twins ? { spelling: camelOf(name), twin: name } : { spelling: name });
  }
  const read = new Set(caps.map(folded));
  for (const name of CAPS) if (!read.has(folded(name))) at(name).isForeignCap = true;
  if (draws) {
    for (const name of [...drawn, ...caps]) at(name).isOfTop = true;
    for (const name of UNREAD_OF_PICTURES) at(name).isUnread = true;
  }
  for (const [name, other] of Object.entries(yields)) at(name).yieldsTo = other;
  for (const name of lists) at(name).isList = true;
  for (const name of opaque) at(name).isOpaque = true;
  for (const name of CONTAINERS) at(name).isContainer = true;
  for (const [name, keeps] of Object.entries({ ...ACCOUNT, ...ADDRESSES, ...TEXTS, ...kept })) {
    if (keeps) at(name).keeps = keeps;
    else delete at(name).keeps;
  }
  for (const name of SAID) at(name).isSaid = true;
  return names;
}

const namesOf = onceOf(compile);

/** Looks at every name of a body once. Bodies are bounded in depth and values before they get here. */
export function ruled(body: JsonObject, rules: BodyRules): RuledBody {
  const walk = new Walk(namesOf(rules));
  return { body: walk.object(body, true), dropped: walk.dropped, kept: walk.kept };
}

/** Of fields that no caller wrote nothing has to go, in whichever spelling: what is known of them is only what they keep. */
function compileAnywhere(): Names {
  const { names, at } = unfilled();
  for (const [name, keeps] of Object.entries(ANYWHERE)) at(name).keeps = keeps;
  for (const name of OPAQUE) at(name).isOpaque = true;
  for (const name of SAID) at(name).isSaid = true;
  return names;
}

const NAMES_ANYWHERE = compileAnywhere();

/**
 * Those of a channel's own fields that name what its account keeps, where callers might not, each as a whole: what stands
 * beside a name says what is done with it.
 */
export const accountFieldsIn = (fields: Readonly<JsonObject>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => {
      const walk = new Walk(NAMES_ANYWHERE);
      walk.object({ [name]: value }, true);
      return walk.kept !== undefined;
    }),
  );

/** Readers of forms take brackets and dots for ways into objects: `images[0][file_id]`. */
const IN_PARTS = /[[\].]/;

/** Names that can be told in headers and logs. */
const SHOWN = /^\w[\w.[\]-]{0,63}$/;
const DROPPED_MAX = 32;

/** How a name is read: by what is known of it as it stands, and of the steps in it. */
interface Read {
  known: Known | undefined;
  inner: Known[];
}
const NOTHING_INSIDE: Known[] = [];

class Walk {
  readonly dropped: string[] = [];
  kept: string | undefined;
  readonly #path: (string | number)[] = [];

  /** A body may hold one name a hundred thousand times, and one made of hundreds of others. */
  readonly #read = new Map<string, Read>();

  constructor(readonly names: Names) {}

  /** `holdsSettings`: at the top, or where wires keep what others have there. */
  object(object: JsonObject, holdsSettings: boolean): JsonObject {
    let out = object;
    for (const name of Object.keys(object)) {
      const value = object[name];
      const { known, inner } = this.#reading(name);
      if (this.kept === undefined && inner.some(({ keeps }) => keeps?.(value, object))) {
        this.kept = this.#place(name);
      }
      if (known) {
        // In whichever spelling: who is not told would take the answer for one that was built upon it.
        if (this.kept === undefined && known.keeps?.(value, object, this.#path))
          this.kept = this.#place(name);
        if ((known.isOfTop && this.#path.length > 0) || isOut(known, name, object, holdsSettings)) {
          this.#drop(name, known);
          if (out === object) out = { ...object };
          delete out[name];
          continue;
        }
        if (known.isOpaque && !(holdsSettings && known.isContainer)) continue;
      } else if (this.kept === undefined && isOfUnknownTool(name, this.#path) && named(value, object)) {
        this.kept = this.#place(name);
      }
      if (this.kept === undefined && !known?.isSaid && namesBucket(value)) this.kept = this.#place(name);
      const listed = known?.isList && !isAbsent(value) && !Array.isArray(value) ? [value] : value;
      if (typeof listed !== 'object' || listed === null) continue;
      this.#path.push(name);
      const isContainer = holdsSettings && known?.isContainer === true;
      const seen = this.#value(listed, isContainer);
      this.#path.pop();
      if (seen === value) continue;
      if (out === object) out = { ...object };
      out[name] = seen;
    }
    return out;
  }

  #reading(name: string): Read {
    let read = this.#read.get(name);
    if (!read) {
      read = { known: this.#known(name), inner: this.#inside(name) };
      this.#read.set(name, read);
    }
    return read;
  }

  #known(name: string): Known | undefined {
    for (const reading of readings(name)) {
      const known = this.names.get(reading);
      if (known) return known;
    }
    return undefined;
  }

  /** Of a name of a form that leads to a field further down, what is known of the steps. */
  #inside(name: string): Known[] {
    if (!IN_PARTS.test(name)) return NOTHING_INSIDE;
    return name
      .split(IN_PARTS)
      .filter(Boolean)
      .flatMap((step) => this.names.get(folded(step)) ?? []);
  }

  #list(list: Json[]): Json[] {
    let out = list;
    for (const [at, value] of list.entries()) {
      if (typeof value !== 'object' || value === null) continue;
      this.#path.push(at);
      const seen = this.#value(value, false);
      this.#path.pop();
      if (seen === value) continue;
      if (out === list) out = [...list];
      out[at] = seen;
    }
    return out;
  }

  #value(value: Json, holdsSettings: boolean): Json {
    if (Array.isArray(value)) return this.#list(value);
    return isObject(value) ? this.object(value as JsonObject, holdsSettings) : value;
  }

  #drop(name: string, { spelling = 'field' }: Known): void {
    const shown = SHOWN.test(name) ? name : spelling;
    if (this.dropped.length < DROPPED_MAX && !this.dropped.includes(shown)) this.dropped.push(shown);
  }

  #place(name: string): string {
    return [...this.#path, name].reduce<string>((place, step) => {
      if (typeof step === 'number') return `${place}[${step}]`;
      const shown = SHOWN.test(step) ? step : '?';
      return place === '' ? shown : `${place}.${shown}`;
    }, '');
  }
}

/** Whether a field must not go up: another spelling than the one that was read, or a limit or a size that was not read at all. */
function isOut(
  { spelling, twin, isForeignCap, isUnread, yieldsTo }: Known,
  name: string,
  holder: JsonObject,
  holdsSettings: boolean,
) {
  if (spelling === undefined) return false;
  if (isUnread || (isForeignCap && holdsSettings)) return true;
  if (yieldsTo !== undefined && !isAbsent(holder[yieldsTo])) return true;
  if (name === spelling) return false;
  return name !== twin || Object.hasOwn(holder, spelling);
}
