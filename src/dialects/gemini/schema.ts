/** JSON Schemas and the subset of OpenAPI's that Gemini takes, both ways. */
import { callersSet } from '../../core/callers-keys.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { compact, hasFields, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { Ways } from '../schema-work.ts';
import { DEPTH_MAX, Once, Walk, Work } from './schema-walk.ts';

/** Keywords that pass as they are. */
const KEPT = [
  'title',
  'description',
  'maxItems',
  'minItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'minimum',
  'maximum',
  'propertyOrdering',
];
const FORMATS = new Set(['enum', 'date-time', 'int32', 'int64', 'float', 'double']);
/** All that is looked at: whatever else a schema says is nothing to the service. */
const READ: ReadonlySet<string> = new Set([
  ...KEPT,
  '$ref',
  'allOf',
  'anyOf',
  'const',
  'enum',
  'format',
  'items',
  'nullable',
  'oneOf',
  'prefixItems',
  'properties',
  'required',
  'type',
]);

/** The schemas of one request, cleaned. Throw `invalid_request` where one means more than any model could read. */
export class CleanSchemas {
  readonly #work = new Work();

  /**
   * A schema as the service takes it: references resolved, unknown keywords left out, one type a schema. What is named
   * several times is one object in several places.
   */
  schema(schema: JsonObject): JsonObject {
    return new Cleaner(schema, this.#work).clean(schema, 0);
  }

  /** The parameters of a function; undefined for one without any, which the service refuses as an empty object. */
  parameters(schema: JsonObject | undefined): JsonObject | undefined {
    if (!schema) return undefined;
    const cleaned = this.schema(schema);
    const isEmptyObject = !hasFields(objectOf(cleaned.properties) ?? {}) && !cleaned.anyOf;
    return isEmptyObject ? undefined : { type: 'object', ...cleaned };
  }
}

/** One schema as it is written. */
interface Said {
  /** What is looked at of it. */
  words: JsonObject;
  /** Itself, all its keywords and the members of their lists. */
  entries: number;
}

/** Schemas that hold at once, as one. */
interface Folded {
  words: JsonObject;
  /** The definitions that it took in. */
  opened: readonly JsonObject[];
}

interface Types {
  type?: string;
  nullable: boolean;
  anyOf?: JsonObject[];
}

interface Choices {
  schemas: JsonObject[];
  /** Null is one of them. */
  optional: boolean;
}

/** What two make together, as the same object for the same two. */
class Pairs<One extends object, Both> {
  readonly #made = new Map<One, Map<One, Both>>();

  of(some: One, more: One, make: (some: One, more: One) => Both): Both {
    const known = this.#made.get(some) ?? new Map<One, Both>();
    this.#made.set(some, known);
    const both = known.get(more) ?? make(some, more);
    known.set(more, both);
    return both;
  }
}

/** Schemas that hold at once, one after another: the last says, but properties and what is required add up. */
class Fold {
  readonly opened: JsonObject[] = [];
  readonly #words: JsonObject = {};
  readonly #required: string[] = [];
  readonly #properties = new Map<string, Json | undefined>();

  says({ allOf: _, ...words }: JsonObject): void {
    Object.assign(this.#words, words);
    for (const name of textsOf(words.required)) this.#required.push(name);
    for (const [name, value] of Object.entries(objectOf(words.properties) ?? NOTHING))
      this.#properties.set(name, value);
  }

  folded(): Folded {
    const words = { ...this.#words };
    if (this.#properties.size > 0) words.properties = Object.fromEntries(this.#properties);
    if (this.#required.length > 0) words.required = this.#required;
    return { words, opened: this.opened };
  }
}

/** Each part is cleaned once, and stands again wherever the same would come of it: nobody may change what is returned. */
class Cleaner {
  readonly #ways: Ways;
  readonly #walk: Walk;
  /** Of definitions: whatever else is written is read once, as it stands in something that is made once. */
  readonly #said = new Map<JsonObject, Said>();
  readonly #types = new Map<Json[], Types>();
  readonly #required = new Pairs<Json[], string[]>();
  readonly #joined = new Pairs<JsonObject, JsonObject>();
  readonly #made = {
    schemas: new Once<JsonObject, JsonObject>(),
    /** Of those that only name a definition, by that. */
    named: new Once<JsonObject, JsonObject>(),
    properties: new Once<JsonObject, JsonObject>(),
    choices: new Once<Json[], Choices>(),
    tuples: new Once<Json[], JsonObject[]>(),
    folded: new Once<Json[], Folded>(),
  };

  constructor(root: JsonObject, work: Work) {
    this.#ways = new Ways(root);
    this.#walk = new Walk(root, work);
  }

  clean(given: JsonObject, depth: number): JsonObject {
    const named = namedAlone(given);
    const target = named === undefined ? undefined : this.#ways.target(named);
    const clean = () => this.#cleaned(given, depth);
    return target && !this.#walk.isOpen(target)
      ? this.#made.named.at(target, depth, this.#walk, clean)
      : this.#made.schemas.at(given, depth, this.#walk, clean);
  }

  #cleaned(given: JsonObject, depth: number): JsonObject {
    this.#walk.reaches(depth);
    const words = this.#read(given);
    if (depth > DEPTH_MAX) return { type: 'object' };
    const opened: JsonObject[] = [];
    const found = this.#resolved(words, opened);
    const cleaned = found
      ? this.#written(this.#merged(found, opened), depth)
      : compact<JsonObject>({ type: 'object', description: textOf(words.description) });
    this.#walk.close(opened);
    return cleaned;
  }

  /** What is looked at of a schema. */
  #read(schema: JsonObject, said = saidOf(schema)): JsonObject {
    this.#walk.counts(said.entries);
    return said.words;
  }

  #readTarget(target: JsonObject): JsonObject {
    const said = this.#said.get(target) ?? saidOf(target);
    this.#said.set(target, said);
    return this.#read(target, said);
  }

  #written(schema: JsonObject, depth: number): JsonObject {
    const { type, nullable, anyOf: types } = this.#typesOf(schema);
    const properties = objectOf(schema.properties);
    const { schemas, optional } = this.#choicesOf(schema, depth);
    const out: JsonObject = {};
    const say = (name: string, value: Json | undefined) => {
      if (value !== undefined) out[name] = value;
    };
    const isChoice = types !== undefined || schemas.length > 0;
    say('type', type ?? (properties ? 'object' : isChoice ? undefined : typeOfValues(schema)));
    for (const name of KEPT) say(name, schema[name]);
    if (FORMATS.has(textOf(schema.format) ?? '')) say('format', schema.format);
    say('enum', enumOf(schema, type));
    say('required', requiredOf(schema, properties));
    if (nullable || optional || schema.nullable === true) say('nullable', true);
    if (properties) say('properties', this.#propertiesOf(properties, depth));
    if (type === 'array' || schema.items !== undefined) say('items', this.#itemsOf(schema, depth));
    const [only] = schemas;
    if (schemas.length > 1) return { ...out, anyOf: schemas };
    if (only) return { ...out, ...only, ...(out.nullable === true && { nullable: true }) };
    return types ? { ...out, anyOf: types } : out;
  }

  #typesOf({ type }: JsonObject): Types {
    if (!Array.isArray(type)) return { type: textOf(type), nullable: false };
    const types = this.#types.get(type) ?? typesIn(type);
    this.#types.set(type, types);
    return types;
  }

  #propertiesOf(properties: JsonObject, depth: number): JsonObject {
    const inner = (value: Json | undefined) => this.clean(objectOf(value) ?? NOTHING, depth + 1);
    return this.#made.properties.at(properties, depth, this.#walk, () =>
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inner(value)])),
    );
  }

  #choicesOf({ anyOf, oneOf }: JsonObject, depth: number): Choices {
    const any = this.#choicesIn(anyOf, depth);
    const one = this.#choicesIn(oneOf, depth);
    if (one === NO_CHOICES) return any;
    return { schemas: [...any.schemas, ...one.schemas], optional: any.optional || one.optional };
  }

  #choicesIn(list: Json | undefined, depth: number): Choices {
    if (!Array.isArray(list)) return NO_CHOICES;
    return this.#made.choices.at(list, depth, this.#walk, () => {
      const branches = objectsOf(list);
      const schemas = branches.filter((branch) => !isNull(branch));
      return {
        schemas: schemas.map((schema) => this.clean(schema, depth + 1)),
        optional: schemas.length < branches.length,
      };
    });
  }

  /** A tuple is a list of any of its members here; a list of anything must still say so. */
  #itemsOf({ prefixItems, items }: JsonObject, depth: number): JsonObject {
    const list = prefixItems ?? items;
    const members = Array.isArray(list) ? this.#membersOf(list, depth) : [];
    if (members.length > 1) return { anyOf: members };
    const all = objectOf(items) ?? NOTHING;
    const only = members[0] ?? this.clean(all, depth + 1);
    return hasFields(only) ? only : { type: 'string' };
  }

  #membersOf(list: Json[], depth: number): JsonObject[] {
    return this.#made.tuples.at(list, depth, this.#walk, () =>
      objectsOf(list).map((member) => this.clean(member, depth + 1)),
    );
  }

  /** The schema that a local reference names, with what stands beside the reference; undefined for one that is open. */
  #resolved(schema: JsonObject, opened: JsonObject[]): JsonObject | undefined {
    let at = schema;
    for (let hops = 0; typeof at.$ref === 'string' && hops < DEPTH_MAX; hops++) {
      const { $ref, ...beside } = at;
      const target = this.#ways.target($ref);
      if (target && !this.#walk.open(target)) return undefined;
      if (target) opened.push(target);
      at = target ? { ...this.#readTarget(target), ...beside } : beside;
    }
    return at;
  }

  /** `allOf` says that all its schemas hold at once: one schema with the keywords of all. */
  #merged(schema: JsonObject, opened: JsonObject[]): JsonObject {
    if (!Array.isArray(schema.allOf)) return schema;
    const { allOf, ...all } = schema;
    const folded = this.#made.folded.at(allOf, 0, this.#walk, () => this.#folded(allOf));
    this.#walk.reopen(folded.opened);
    for (const target of folded.opened) opened.push(target);
    const required = this.#required.of(listOf(all.required), listOf(folded.words.required), (some, more) => [
      ...callersSet([...textsOf(some), ...textsOf(more)]),
    ]);
    const properties = this.#joined.of(
      objectOf(all.properties) ?? NOTHING,
      objectOf(folded.words.properties) ?? NOTHING,
      (some, more) => ({ ...some, ...more }),
    );
    Object.assign(all, folded.words);
    if (hasFields(properties)) all.properties = properties;
    if (required.length > 0) all.required = required;
    return all;
  }

  #folded(allOf: Json[]): Folded {
    const fold = new Fold();
    this.#fold(allOf, fold, 0);
    return fold.folded();
  }

  /** Whatever holds within another holds beside it: no level copies what is below it. */
  #fold(allOf: Json[], fold: Fold, depth: number): void {
    for (const part of objectsOf(allOf)) {
      // A schema that holds already says nothing more.
      const found = this.#resolved(this.#read(part), fold.opened);
      if (!found) continue;
      fold.says(found);
      if (Array.isArray(found.allOf) && depth < DEPTH_MAX) this.#fold(found.allOf, fold, depth + 1);
    }
  }
}

const NOTHING: JsonObject = {};
const NO_LIST: Json[] = [];
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : NO_LIST);

const NO_CHOICES: Choices = { schemas: [], optional: false };

function saidOf(schema: JsonObject): Said {
  let entries = 1;
  let isRead = true;
  for (const name in schema) {
    const value = schema[name];
    entries += 1 + (Array.isArray(value) ? value.length : 0);
    isRead &&= READ.has(name);
  }
  const read = () => Object.fromEntries(Object.entries(schema).filter(([name]) => READ.has(name)));
  return { entries, words: isRead ? schema : read() };
}

/** What a schema names that says nothing else. */
function namedAlone(schema: JsonObject): string | undefined {
  for (const name in schema) if (name !== '$ref' && READ.has(name)) return undefined;
  return textOf(schema.$ref);
}

const isNull = (schema: JsonObject): boolean => schema.type === 'null';
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function typesIn(list: Json[]): Types {
  const types = textsOf(list).filter((type) => type !== 'null');
  const nullable = list.includes('null');
  return types.length > 1
    ? { nullable, anyOf: types.map((type) => ({ type })) }
    : { type: types[0], nullable };
}

/** Only texts may be listed; other constants go into no list rather than a wrong one. */
function enumOf(schema: JsonObject, type: string | undefined): string[] | undefined {
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  const texts = textsOf(values);
  return texts.length > 0 && (type ?? 'string').toLowerCase() === 'string' ? texts : undefined;
}

/** The service wants a type wherever values are listed, which JSON Schema does not. */
function typeOfValues(schema: JsonObject): string | undefined {
  if (enumOf(schema, undefined)) return 'string';
  const value = schema.const;
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' ? 'boolean' : undefined;
}

function requiredOf(schema: JsonObject, properties: JsonObject | undefined): string[] | undefined {
  const names = textsOf(schema.required).filter((name) => properties && Object.hasOwn(properties, name));
  return names.length > 0 ? names : undefined;
}

/** A schema of this wire as plain JSON Schema. */
export function plainSchema(schema: JsonObject): JsonObject {
  const { nullable, propertyOrdering: _, property_ordering: __, ...rest } = schema;
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(rest)) out[name] = plainKeyword(name, value);
  if (nullable === true && typeof out.type === 'string') out.type = [out.type, 'null'];
  return out;
}

/** The service writes its larger numbers as text. */
const COUNTS = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);

function plainKeyword(name: string, value: Json | undefined): Json | undefined {
  if (name === 'type') return typeof value === 'string' ? value.toLowerCase() : value;
  if (COUNTS.has(name)) return numberOf(Number(value)) ?? value;
  if (name === 'items') return plainSchema(objectOf(value) ?? {});
  if (name === 'anyOf') return objectsOf(value).map(plainSchema);
  if (name !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(objectOf(value) ?? {}).map(([key, inner]) => [key, plainSchema(objectOf(inner) ?? {})]),
  );
}
