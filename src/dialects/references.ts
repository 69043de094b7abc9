/**
 * How long schemas are as gateways write them for a model that has no word for references: each is a copy of what it
 * names. They read them more loosely than any standard, and one has what stands beside a reference where another leaves it
 * out: here all of it counts. No copy is made: the length of each schema is worked out once, and taken wherever it is named.
 */
import { CallersMap } from '../core/callers-keys.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { type JsonPart, type JsonSize, jsonPartOf, sizeOfPart } from '../core/text-tokens.ts';
import type { Schemas } from './codec.ts';
import { fieldsBut, objectOf } from './fields.ts';
import type { Tool } from './neutral.ts';
import { tooLarge, Ways } from './schema-work.ts';

export interface SchemaSize extends JsonSize {
  /** Schemas, keywords and members of lists. */
  entries: number;
}

/** Throws `invalid_request` for what takes more work to make than any model could read. */
export function checkSize({ entries }: SchemaSize): void {
  if (entries > limits.schemaEntries) throw tooLarge();
}

/** What a conversation stands in, on whichever wire. */
const SAID: ReadonlySet<string> = new Set(['messages', 'input', 'contents', 'system', 'systemInstruction']);

interface Part extends JsonPart {
  entries: number;
}

/** What is known of a node: it holds wherever those are open that were left out of it, which makes it no longer. */
interface Known {
  part: Part;
  without: ReadonlySet<JsonObject>;
}

/** Of definitions in definitions: a body alone is less deep. */
const DEPTH_MAX = 8 * limits.jsonDepthMax;

type Node = JsonObject | Json[];

const NONE: ReadonlySet<JsonObject> = new Set<JsonObject>();

/** What holds schemas by names of the caller's, of which none is a keyword. */
const NAMES: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
const DEFINITIONS: readonly string[] = ['$defs', 'definitions'];

const nothing = (): Part => ({ bytes: 0, words: { bytes: 0, dense: 0 }, entries: 0 });

/** Throws `invalid_request` beyond what a model could ever read, so that no number grows without an end. */
function add(sum: Part, part: Part): void {
  sum.bytes += part.bytes;
  sum.words.bytes += part.words.bytes;
  sum.words.dense += part.words.dense;
  sum.entries += part.entries;
  if (sum.bytes > limits.schemaChars) throw tooLarge();
}

/** The schemas of one request. */
export class SchemaSizes {
  readonly #own = { keywords: new Map<Node, Part>(), names: new Map<Node, Part>() };
  #again = 0;

  /** Throws `invalid_request` where they are more than a model could ever read. */
  ofSchemas({ tools, responseFormat }: Schemas): SchemaSize {
    const sum = nothing();
    for (const tool of tools) this.#addTool(sum, tool);
    if (responseFormat?.type === 'schema') add(sum, this.#whole(responseFormat.schema));
    return sizeOf(sum);
  }

  /**
   * The same of all fields of a request but what is said, for those that have a schema where its own wire has none. One
   * begins where definitions are.
   */
  ofFields(body: JsonObject): SchemaSize {
    const sum = nothing();
    this.#addField(sum, fieldsBut(body, SAID));
    return sizeOf(sum);
  }

  /** How often a node was looked at that is no first look: bounded, since who names one another may mean any number. */
  get again(): number {
    return this.#again;
  }

  #addTool(sum: Part, tool: Tool): void {
    const schemas = schemasIn(tool);
    const besides = { ...tool, parameters: undefined, extra: undefined, value: undefined };
    add(sum, { ...jsonPartOf(JSON.stringify(besides)), entries: Object.keys(besides).length });
    for (const schema of schemas) if (schema) add(sum, this.#whole(schema));
  }

  #addField(sum: Part, value: Json | undefined): void {
    if (Array.isArray(value)) {
      add(sum, this.own(value, false));
      for (const each of value) this.#addField(sum, each);
    } else if (isObject(value)) {
      const object = value as JsonObject;
      if (definitionsIn(object).length > 0) add(sum, this.#whole(object));
      else {
        add(sum, this.own(object, false));
        for (const each of Object.values(object)) this.#addField(sum, each);
      }
    }
  }

  #whole(schema: JsonObject): Part {
    return new Root(schema, this).part();
  }

  /** What a node says itself: whatever it holds is measured by itself. */
  own(node: Node, areNames: boolean): Part {
    const known = areNames ? this.#own.names : this.#own.keywords;
    const part = known.get(node) ?? ownPart(node, areNames);
    known.set(node, part);
    return part;
  }

  look(times: number): void {
    this.#again += times;
    if (this.#again > limits.schemaEntries) throw tooLarge();
  }
}

const schemasIn = (tool: Tool): (JsonObject | undefined)[] =>
  tool.type === 'raw' ? [tool.value] : tool.type === 'function' ? [tool.parameters, tool.extra] : [];

const sizeOf = (part: Part): SchemaSize => ({ ...sizeOfPart(part), entries: part.entries });

const shownOf = (value: Json | undefined): Json => (typeof value === 'object' ? '' : (value ?? ''));

function ownPart(node: Node, areNames: boolean): Part {
  if (Array.isArray(node)) {
    return { ...jsonPartOf(JSON.stringify(node.map(shownOf))), entries: node.length };
  }
  const said = saidIn(node, areNames).map(([name, value]) => [name, name === '$ref' ? '' : shownOf(value)]);
  return { ...jsonPartOf(JSON.stringify(Object.fromEntries(said))), entries: 1 + said.length };
}

/** Definitions stand where they are named. */
const saidIn = (schema: JsonObject, areNames: boolean): [string, Json | undefined][] =>
  Object.entries(schema).filter(([name]) => areNames || !DEFINITIONS.includes(name));

const definitionsIn = (schema: JsonObject): JsonObject[] =>
  DEFINITIONS.map((name) => objectOf(schema[name])).filter((names) => names !== undefined);

/** One schema, with all that its references may name. */
class Root {
  readonly #root: JsonObject;
  readonly #sizes: SchemaSizes;
  readonly #ways: Ways;
  readonly #defined = new CallersMap<JsonObject[]>();
  /** What is being put in: one that names itself would never end. The whole is never put into itself. */
  readonly #open = new Set<JsonObject>();
  readonly #known = { keywords: new Map<Node, Known>(), names: new Map<Node, Known>() };
  readonly #begun = { keywords: new Set<Node>(), names: new Set<Node>() };

  constructor(root: JsonObject, sizes: SchemaSizes) {
    this.#root = root;
    this.#sizes = sizes;
    this.#ways = new Ways(root);
    this.#define(root);
  }

  part(): Part {
    return this.#measured(this.#root, false, 0).part;
  }

  #define(value: Json | undefined): void {
    if (Array.isArray(value)) for (const each of value) this.#define(each);
    if (Array.isArray(value) || !isObject(value)) return;
    const object = value as JsonObject;
    for (const names of definitionsIn(object)) {
      for (const [name, each] of Object.entries(names)) {
        const schema = objectOf(each);
        if (!schema) continue;
        const known = this.#defined.get(name);
        if (known) known.push(schema);
        else this.#defined.set(name, [schema]);
      }
    }
    for (const each of Object.values(object)) this.#define(each);
  }

  #measured(node: Node, areNames: boolean, depth: number): Known {
    const kind = areNames ? 'names' : 'keywords';
    const before = this.#known[kind].get(node);
    if (before && this.#holds(before)) return before;
    if (depth > DEPTH_MAX) throw tooLarge();
    const own = this.#sizes.own(node, areNames);
    if (this.#begun[kind].has(node)) this.#sizes.look(1 + own.entries);
    this.#begun[kind].add(node);
    const part = nothing();
    add(part, own);
    const without = new Set<JsonObject>();
    const put = (inner: Known) => {
      add(part, inner.part);
      this.#sizes.look(inner.without.size);
      for (const left of inner.without) without.add(left);
    };
    if (Array.isArray(node)) {
      for (const each of node) if (isNode(each)) put(this.#measured(each, false, depth + 1));
    } else {
      for (const [name, value] of saidIn(node, areNames)) {
        if (isNode(value)) put(this.#measured(value, !areNames && NAMES.has(name), depth + 1));
      }
      if (typeof node.$ref === 'string') put(this.#named(node.$ref, depth));
    }
    const known = { part, without: without.size === 0 ? NONE : without };
    this.#known[kind].set(node, known);
    return known;
  }

  #holds({ without }: Known): boolean {
    this.#sizes.look(without.size);
    for (const left of without) if (!this.#open.has(left)) return false;
    return true;
  }

  /** The longest of what a reference may name: which of several definitions of one name, everybody decides otherwise. */
  #named(reference: string, depth: number): Known {
    const part = nothing();
    const without = new Set<JsonObject>();
    for (const target of this.#targets(reference)) {
      if (target === this.#root) continue;
      if (this.#open.has(target)) {
        without.add(target);
        continue;
      }
      this.#open.add(target);
      const found = this.#measured(target, false, depth + 1);
      this.#open.delete(target);
      for (const left of found.without) if (left !== target) without.add(left);
      part.bytes = Math.max(part.bytes, found.part.bytes);
      part.words.bytes = Math.max(part.words.bytes, found.part.words.bytes);
      part.words.dense = Math.max(part.words.dense, found.part.words.dense);
      part.entries = Math.max(part.entries, found.part.entries);
    }
    // What is not put in is said as it came.
    if (part.bytes === 0) add(part, { ...jsonPartOf(JSON.stringify(reference)), entries: 0 });
    return { part, without };
  }

  /** By its way, or as LiteLLM finds it: by the last step of that, among the definitions about. */
  #targets(reference: string): readonly JsonObject[] {
    const target = this.#ways.target(reference);
    if (target) return [target];
    const named = this.#defined.get(reference.slice(reference.lastIndexOf('/') + 1)) ?? [];
    this.#sizes.look(Math.max(0, named.length - 1));
    return named;
  }
}

const isNode = (value: Json | undefined): value is Node => typeof value === 'object' && value !== null;
