/** JSON Schemas and the subset of OpenAPI's that Gemini takes, both ways. */
import { callersSet } from '../../core/callers-keys.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { compact, hasFields, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { SchemaWork } from '../schema-work.ts';

/** Keywords that pass as they are. */
const KEPT = [
  'title',
  'description',
  'nullable',
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
/** Definitions may refer to themselves; beyond this depth anything goes. */
const DEPTH_MAX = 12;

/** A schema as the service takes it: references resolved, unknown keywords left out, one type a schema. */
export const cleanSchema = (schema: JsonObject, work = new SchemaWork()): JsonObject =>
  new Cleaner(schema, work).clean(schema, 0);

/** The parameters of a function; undefined for one without any, which the service refuses as an empty object. */
export function cleanParameters(schema: JsonObject | undefined, work?: SchemaWork): JsonObject | undefined {
  if (!schema) return undefined;
  const cleaned = cleanSchema(schema, work);
  const isEmptyObject = !hasFields(objectOf(cleaned.properties) ?? {}) && !cleaned.anyOf;
  return isEmptyObject ? undefined : { type: 'object', ...cleaned };
}

class Cleaner {
  readonly #root: JsonObject;
  readonly #work: SchemaWork;
  /** The schemas inside which the walk stands: one that refers to them would never end. */
  readonly #open: Set<JsonObject>;

  constructor(root: JsonObject, work: SchemaWork) {
    this.#root = root;
    this.#work = work;
    this.#open = new Set<JsonObject>([root]);
  }

  clean(given: JsonObject, depth: number): JsonObject {
    this.#work.read(given);
    if (depth > DEPTH_MAX) return { type: 'object' };
    const opened: JsonObject[] = [];
    const found = this.#resolved(given, opened);
    const cleaned = found
      ? this.#written(this.#merged(found, opened, 0), depth)
      : compact<JsonObject>({ type: 'object', description: textOf(given.description) });
    for (const schema of opened) this.#open.delete(schema);
    return cleaned;
  }

  #written(schema: JsonObject, depth: number): JsonObject {
    const inner = (value: unknown): JsonObject => this.clean(objectOf(value) ?? {}, depth + 1);
    const { type, nullable, anyOf: types } = typesOf(schema);
    const properties = objectOf(schema.properties);
    const own: JsonObject = compact({
      type: type ?? (properties ? 'object' : undefined),
      ...Object.fromEntries(KEPT.filter((name) => name in schema).map((name) => [name, schema[name]])),
      format: FORMATS.has(textOf(schema.format) ?? '') ? schema.format : undefined,
      enum: enumOf(schema, type),
      required: requiredOf(schema, properties),
    });
    this.#work.wrote([own, Object.keys(properties ?? {})]);
    const branches = [...objectsOf(schema.anyOf), ...objectsOf(schema.oneOf)];
    const optional = branches.some(isNull);
    const anyOf = branches.filter((branch) => !isNull(branch)).map(inner);
    const out: JsonObject = compact({
      ...own,
      nullable: nullable || optional || schema.nullable === true || undefined,
      properties:
        properties &&
        Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inner(value)])),
      items: type === 'array' || schema.items !== undefined ? itemsOf(schema, inner) : undefined,
    });
    if (anyOf.length === 1) return { ...out, ...anyOf[0], ...(out.nullable === true && { nullable: true }) };
    if (anyOf.length > 1) return { ...out, anyOf };
    return types ? { ...out, anyOf: types.map((one) => ({ type: one })) } : out;
  }

  /** The schema that a local reference names, with what stands beside the reference; undefined for one that is open. */
  #resolved(schema: JsonObject, opened: JsonObject[]): JsonObject | undefined {
    let at = schema;
    for (let hops = 0; typeof at.$ref === 'string' && hops < DEPTH_MAX; hops++) {
      const { $ref, ...beside } = at;
      const target = this.#work.target(this.#root, $ref);
      if (target) {
        if (this.#open.has(target)) return undefined;
        this.#open.add(target);
        opened.push(target);
        this.#work.read(target);
      }
      at = { ...target, ...beside };
    }
    return at;
  }

  /** `allOf` says that all its schemas hold at once: one schema with the keywords of all. */
  #merged(schema: JsonObject, opened: JsonObject[], depth: number): JsonObject {
    if (!Array.isArray(schema.allOf) || depth > DEPTH_MAX) return schema;
    const { allOf, ...all } = schema;
    const required = [...textsOf(all.required)];
    const properties = new Map(Object.entries(objectOf(all.properties) ?? {}));
    for (const part of objectsOf(allOf)) {
      // A schema that holds already says nothing more.
      this.#work.read(part);
      const found = this.#resolved(part, opened);
      if (!found) continue;
      const next = this.#merged(found, opened, depth + 1);
      for (const name of textsOf(next.required)) required.push(name);
      for (const [name, value] of Object.entries(objectOf(next.properties) ?? {}))
        properties.set(name, value);
      Object.assign(all, next);
    }
    if (properties.size > 0) all.properties = Object.fromEntries(properties);
    if (required.length > 0) all.required = [...callersSet(required)];
    return all;
  }
}

const isNull = (schema: JsonObject): boolean => schema.type === 'null';
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function typesOf(schema: JsonObject): { type?: string; nullable: boolean; anyOf?: string[] } {
  if (!Array.isArray(schema.type)) return { type: textOf(schema.type), nullable: false };
  const types = textsOf(schema.type).filter((type) => type !== 'null');
  const nullable = schema.type.includes('null');
  return types.length > 1 ? { nullable, anyOf: types } : { type: types[0], nullable };
}

/** Only texts may be listed; other constants go into no list rather than a wrong one. */
function enumOf(schema: JsonObject, type: string | undefined): string[] | undefined {
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  const texts = textsOf(values);
  return texts.length > 0 && (type ?? 'string').toLowerCase() === 'string' ? texts : undefined;
}

function requiredOf(schema: JsonObject, properties: JsonObject | undefined): string[] | undefined {
  const names = textsOf(schema.required).filter((name) => properties && Object.hasOwn(properties, name));
  return names.length > 0 ? names : undefined;
}

/** A tuple is a list of any of its members here; a list of anything must still say so. */
function itemsOf(schema: JsonObject, inner: (value: unknown) => JsonObject): JsonObject {
  const members = objectsOf(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined));
  if (members.length > 1) return { anyOf: members.map(inner) };
  const items = inner(members[0] ?? schema.items);
  return hasFields(items) ? items : { type: 'string' };
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
