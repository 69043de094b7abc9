/**
 * Schemas as gateways write them for a model that has no word for references: each is a copy of what it names. They read
 * them more loosely than any standard, and one has what stands beside a reference where another leaves it out: here all of
 * it stands there, to be measured, and is sent to nobody.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { own } from '../core/own.ts';
import type { Schemas } from './codec.ts';
import { compact, fieldsBut, objectOf } from './fields.ts';
import type { Tool } from './neutral.ts';
import { SchemaWork, tooLarge } from './schema-work.ts';

/** Throws `invalid_request` where they are more than a model could ever read. */
export function withReferences({ tools, responseFormat }: Schemas): Schemas {
  const work = new SchemaWork();
  const put = (schema: JsonObject): JsonObject => new References(schema, work).put(schema);
  const toolWith = (tool: Tool): Tool => {
    if (tool.type === 'raw') return { ...tool, value: put(tool.value) };
    if (tool.type !== 'function') return tool;
    const { parameters, extra } = tool;
    return compact({ ...tool, parameters: parameters && put(parameters), extra: extra && put(extra) });
  };
  const format = responseFormat;
  return compact<Schemas>({
    tools: tools.map(toolWith),
    responseFormat: format?.type === 'schema' ? { ...format, schema: put(format.schema) } : format,
  });
}

/** What a conversation stands in, on whichever wire. */
const SAID: ReadonlySet<string> = new Set(['messages', 'input', 'contents', 'system', 'systemInstruction']);

/**
 * The same of all fields of a request but what is said, for those that have a schema where its own wire has none. What is
 * no definition is not found by its way here.
 */
export function fieldsWithReferences(body: JsonObject): JsonObject {
  const fields = fieldsBut(body, SAID);
  return new References(fields, new SchemaWork()).put(fields);
}

/** The definitions of a schema, and of those around it. */
interface Scope {
  defined: readonly JsonObject[];
  outer: Scope | null;
}

/** What holds schemas by names of the caller's, of which none is a keyword. */
const NAMES: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
const DEFINITIONS: readonly string[] = ['$defs', 'definitions'];

class References {
  readonly #root: JsonObject;
  readonly #work: SchemaWork;
  /** What is being put in: one that names itself would never end. */
  readonly #open = new Set<JsonObject>();

  constructor(root: JsonObject, work: SchemaWork) {
    this.#root = root;
    this.#work = work;
    this.#open.add(root);
  }

  put(schema: JsonObject, around: Scope | null = null, depth = 0, areNames = false): JsonObject {
    if (depth > limits.jsonDepthMax) throw tooLarge();
    this.#work.read(schema);
    const scope = withDefinitions(schema, around);
    const target = typeof schema.$ref === 'string' ? this.#target(schema.$ref, scope) : undefined;
    const copied = target && !this.#open.has(target) ? this.#copy(target, scope, depth) : undefined;
    // Definitions stand where they are named.
    const said = Object.entries(schema).filter(([name]) => areNames || !DEFINITIONS.includes(name));
    this.#work.wrote(said.map(([name, value]) => [name, shownOf(value)]));
    const put = said.map(([name, value]) => [
      name,
      this.#value(value, scope, depth + 1, !areNames && NAMES.has(name)),
    ]);
    return { ...Object.fromEntries(put), ...(copied && { $ref: copied }) };
  }

  #copy(target: JsonObject, scope: Scope | null, depth: number): JsonObject {
    this.#open.add(target);
    const copy = this.put(target, scope, depth + 1);
    this.#open.delete(target);
    return copy;
  }

  #value(value: Json | undefined, scope: Scope | null, depth: number, areNames: boolean): Json | undefined {
    if (Array.isArray(value)) {
      if (depth > limits.jsonDepthMax) throw tooLarge();
      this.#work.wrote(value.map(shownOf));
      return value.map((each) => this.#value(each, scope, depth + 1, false) ?? null);
    }
    return isObject(value) ? this.put(value as JsonObject, scope, depth, areNames) : value;
  }

  /** By its way, or as LiteLLM finds it: by the last step of that, among the definitions about. */
  #target(reference: string, scope: Scope | null): JsonObject | undefined {
    const last = reference.slice(reference.lastIndexOf('/') + 1);
    return this.#work.target(this.#root, reference) ?? definedIn(scope, last);
  }
}

/** What of a value is written with what holds it. */
const shownOf = (value: Json | undefined): Json => (typeof value === 'object' ? null : (value ?? null));

function withDefinitions(schema: JsonObject, outer: Scope | null): Scope | null {
  const defined = DEFINITIONS.map((name) => objectOf(schema[name])).filter((names) => names !== undefined);
  return defined.length === 0 ? outer : { defined, outer };
}

function definedIn(scope: Scope | null, name: string): JsonObject | undefined {
  for (let at = scope; at; at = at.outer) {
    for (const names of at.defined) {
      const found = objectOf(own(names, name));
      if (found) return found;
    }
  }
  return undefined;
}
