/**
 * What a schema comes to with its references put in, without making copies: each of its definitions is read once, and its
 * length taken wherever it is named.
 */
import { CallersMap } from '../core/callers-keys.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { addJson, type JsonPart, jsonPartOf, noJson } from '../core/text-tokens.ts';
import { objectOf } from './fields.ts';
import { branchesOf, describedIn, repeatsOf } from './schema-copies.ts';
import { type SchemaLooks, tooLarge, Ways } from './schema-work.ts';

export interface Part extends JsonPart {
  entries: number;
}

/** Of definitions in definitions: a body alone is less deep. */
const DEPTH_MAX = 8 * limits.jsonDepthMax;

/** What holds schemas by names of the caller's, of which none is a keyword. */
const NAMES: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
/** What holds definitions, which stand where they are named. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

export const nothing = (): Part => ({ ...noJson(), entries: 0 });

/** Throws `invalid_request` beyond what a model could ever read, so that no number grows without an end. */
export function add(sum: Part, part: Part, times = 1): void {
  addJson(sum, part, times);
  sum.entries += times * part.entries;
  if (sum.bytes > limits.schemaChars) throw tooLarge();
}

function raise(most: Part, part: Part): void {
  most.bytes = Math.max(most.bytes, part.bytes);
  most.words.bytes = Math.max(most.words.bytes, part.words.bytes);
  most.words.dense = Math.max(most.words.dense, part.words.dense);
  most.entries = Math.max(most.entries, part.entries);
}

const partOf = (said: Json, entries: number): Part => ({ ...jsonPartOf(JSON.stringify(said)), entries });

type Node = JsonObject | Json[];

const isNode = (value: Json | undefined): value is Node => typeof value === 'object' && value !== null;

/** As JSON Schema has them by either of its words, and OpenAPI. */
const definitionsIn = (schema: JsonObject): JsonObject[] =>
  [schema.$defs, schema.definitions, objectOf(schema.components)?.schemas].filter((each) => isObject(each));

/** What may stand in a place where it is not written. */
interface Named {
  reference: string;
  targets?: readonly JsonObject[];
}

/** How often each of them is named. */
type Mentions = Map<Named, number>;

function mention(mentions: Mentions, named: Named): void {
  mentions.set(named, (mentions.get(named) ?? 0) + 1);
}

/** How many schemas stand below one by `anyOf`: so many, and those below what is named there. */
interface Branches {
  schemas: number;
  mentions: Mentions;
}

/** What a schema says itself. */
interface Reading {
  part: Part;
  mentions: Mentions;
  /** How often it says all of that. */
  times: number;
  branches: Branches;
  /** What each of the branches below it says once more. */
  described: { part: Part; branches: Branches }[];
}

/** What is found in a schema while it is read. */
interface Findings {
  entries: number;
  mentions: Mentions;
  /** What is a document of its own. */
  inner: JsonObject[];
  /** Whose words its branches say once more. */
  described: JsonObject[];
  /** What holds names of the caller's, of which none is a keyword. */
  holders: Set<Node>;
}

/**
 * What a schema means. It holds where those are open that were left out of it, and none that was put in, by one bit for
 * each of them.
 */
interface Meaning extends Part {
  branches: number;
  without: bigint;
  within: bigint;
}

/** So many bits take no longer than a look. */
const BITS_FREE = 1_024;
/** What a document takes beside its entries, in entries. */
const DOCUMENT_ENTRIES = 8;

interface Around {
  /** By its own wire it is one; anything else is where it has definitions, and holds some where it has none. */
  isSchema: boolean;
  /** Descriptions are copied, see `schema-copies.ts`. */
  copies: boolean;
  looks: SchemaLooks;
  /** What a schema comes to that stands in it. */
  inner(schema: JsonObject): Part;
}

/** A schema with all that its references may name, or what holds such. */
export class Document {
  readonly #root: JsonObject;
  readonly #isSchema: boolean;
  readonly #copies: boolean;
  readonly #looks: SchemaLooks;
  readonly #inner: Around['inner'];
  readonly #ways: Ways;
  readonly #defined = new CallersMap<JsonObject[]>();
  /** What is read by itself wherever it stands. */
  readonly #apart = new Set<JsonObject>();
  readonly #named = new CallersMap<Named>();
  readonly #readings = new Map<JsonObject, Reading>();
  readonly #meanings = new Map<JsonObject, Meaning[]>();
  readonly #bits = new Map<JsonObject, bigint>();
  /** What is being put in: one that names itself would never end. The whole is never put into itself. */
  #open = 0n;

  constructor(root: JsonObject, { isSchema, copies, looks, inner }: Around) {
    this.#root = root;
    this.#isSchema = isSchema || definitionsIn(root).length > 0;
    this.#copies = copies;
    this.#looks = looks;
    this.#inner = inner;
    this.#ways = new Ways(root);
  }

  part(): Part {
    this.#looks.read(DOCUMENT_ENTRIES);
    this.#reading(this.#root);
    // All names must be known before one is looked for. Each may hold more of them.
    for (const schema of this.#apart) this.#reading(schema);
    return this.#meaning(this.#root, 0);
  }

  #reading(schema: JsonObject): Reading {
    const reading = this.#readings.get(schema) ?? this.#read(schema);
    this.#readings.set(schema, reading);
    return reading;
  }

  #read(schema: JsonObject): Reading {
    const found: Findings = {
      entries: 0,
      mentions: new Map<Named, number>(),
      inner: [],
      described: [],
      holders: new Set<Node>(),
    };
    const said = (holder: Node, key: string, value: Json | undefined): Json | undefined => {
      if (!isNode(value)) return this.#takesReference(holder, key, value, found) ? '' : value;
      const isKeyword = !found.holders.has(holder);
      // They were defined as their holder was read, and are said where they are named.
      if (isKeyword && DEFINITIONS.has(key) && isObject(value)) return undefined;
      if (value !== schema && this.#takesApart(value, found)) return '';
      this.#enter(value, found);
      if (isKeyword && NAMES.has(key)) found.holders.add(value);
      else if (this.#isDescribed(value)) found.described.push(value);
      return value;
    };
    const text = JSON.stringify(schema, function (this: Node, key: string, value: Json | undefined) {
      return said(this, key, value);
    });
    const part: Part = { ...jsonPartOf(text), entries: found.entries };
    for (const document of found.inner) add(part, this.#inner(document));
    return {
      part,
      mentions: found.mentions,
      times: this.#copies ? repeatsOf(schema) : 1,
      branches: this.#branches(schema),
      described: found.described.map((each) => {
        const words = describedIn(each) ?? {};
        return { part: partOf(words, Object.keys(words).length), branches: this.#branches(each) };
      }),
    };
  }

  /** True for a reference, which says nothing itself: what stands in its place is mentioned. */
  #takesReference(holder: Node, key: string, value: Json | undefined, { mentions }: Findings): boolean {
    if (key !== '$ref' || typeof value !== 'string' || Array.isArray(holder)) return false;
    mention(mentions, this.#name(value));
    return true;
  }

  /** True for what is read by itself, and only mentioned here. */
  #takesApart(value: Node, { inner, mentions }: Findings): boolean {
    if (Array.isArray(value)) return false;
    if (!this.#isSchema && definitionsIn(value).length > 0) {
      inner.push(value);
      return true;
    }
    if (!this.#copies || repeatsOf(value) === 1) return false;
    this.#apart.add(value);
    mention(mentions, { reference: '', targets: [value] });
    return true;
  }

  /** Before anything in it is looked at. */
  #enter(value: Node, found: Findings): void {
    if (!Array.isArray(value)) for (const definitions of definitionsIn(value)) this.#define(definitions);
    const entries = Array.isArray(value) ? value.length : 1 + Object.keys(value).length;
    this.#looks.read(entries);
    found.entries += entries;
  }

  #isDescribed(value: Node): value is JsonObject {
    return this.#copies && !Array.isArray(value) && describedIn(value) !== undefined;
  }

  #branches(schema: JsonObject): Branches {
    const all: Branches = { schemas: 0, mentions: new Map<Named, number>() };
    if (this.#copies) this.#addBranches(all, schema);
    return all;
  }

  #addBranches(all: Branches, schema: JsonObject, isBranch = false): void {
    const { types, schemas } = branchesOf(schema);
    // Those of a branch are counted for each that it is below.
    if (isBranch) this.#looks.look(schemas.length);
    all.schemas += types;
    for (const each of schemas) {
      const branch = objectOf(each);
      if (branch) this.#addBranches(all, branch, true);
      else all.schemas++;
    }
    if (typeof schema.$ref === 'string') mention(all.mentions, this.#name(schema.$ref));
    else if (types + schemas.length === 0) all.schemas++;
  }

  #define(definitions: JsonObject): void {
    for (const [name, each] of Object.entries(definitions)) {
      const schema = objectOf(each);
      if (!schema || this.#apart.has(schema)) continue;
      this.#apart.add(schema);
      const known = this.#defined.get(name);
      if (known) known.push(schema);
      else this.#defined.set(name, [schema]);
    }
  }

  #name(reference: string): Named {
    const named = this.#named.get(reference) ?? { reference };
    this.#named.set(reference, named);
    return named;
  }

  /**
   * What is at its way, and what LiteLLM finds: by the last step of that, among the definitions about. The whole is not put
   * into itself, unless by a name that it has.
   */
  #targets({ reference }: Named): readonly JsonObject[] {
    const target = this.#isSchema ? this.#ways.target(reference) : undefined;
    const named = this.#defined.get(reference.slice(reference.lastIndexOf('/') + 1)) ?? [];
    this.#looks.look(named.length);
    return [...new Set<JsonObject>(target && target !== this.#root ? [target, ...named] : named)];
  }

  #meaning(schema: JsonObject, depth: number): Meaning {
    const before = this.#meanings.get(schema) ?? [];
    this.#meanings.set(schema, before);
    this.#looks.look(before.length >> 3);
    const known = before.find(
      ({ without, within }) => (without & this.#open) === without && (within & this.#open) === 0n,
    );
    if (known) return known;
    if (depth > DEPTH_MAX) throw tooLarge();
    const { part, mentions, times, branches, described } = this.#reading(schema);
    if (before.length > 0) this.#looks.look(before.length + mentions.size);
    const sum = { ...nothing(), without: 0n, within: 0n };
    add(sum, part);
    for (const [named, often] of mentions) {
      const meaning = this.#longest(named, depth);
      add(sum, meaning, often);
      sum.without |= meaning.without;
      sum.within |= meaning.within;
    }
    for (const each of described) add(sum, each.part, this.#branchesIn(each.branches, depth) - 1);
    const all = nothing();
    add(all, sum, times);
    const meaning = { ...sum, ...all, branches: this.#branchesIn(branches, depth) };
    before.push(meaning);
    return meaning;
  }

  #branchesIn({ schemas, mentions }: Branches, depth: number): number {
    this.#looks.look(mentions.size);
    let sum = schemas;
    for (const [named, often] of mentions) sum += often * this.#longest(named, depth).branches;
    return Math.min(sum, limits.schemaChars);
  }

  /** The longest of what may be named: which of several definitions of one name, everybody decides otherwise. */
  #longest(named: Named, depth: number): Meaning {
    named.targets ??= this.#targets(named);
    const most: Meaning = { ...nothing(), branches: 1, without: 0n, within: 0n };
    for (const target of named.targets) {
      const bit = this.#bit(target);
      if ((this.#open & bit) !== 0n) {
        most.without |= bit;
        continue;
      }
      this.#open |= bit;
      const meaning = this.#meaning(target, depth + 1);
      this.#open ^= bit;
      raise(most, meaning);
      most.branches = Math.max(most.branches, meaning.branches);
      most.without |= meaning.without & ~bit;
      most.within |= meaning.within | bit;
    }
    // What is not put in is said as it came.
    if (most.bytes === 0) add(most, partOf(named.reference, 0));
    return most;
  }

  #bit(target: JsonObject): bigint {
    this.#looks.look(Math.floor(this.#bits.size / BITS_FREE));
    const bit = this.#bits.get(target) ?? 1n << BigInt(this.#bits.size);
    this.#bits.set(target, bit);
    return bit;
  }
}
