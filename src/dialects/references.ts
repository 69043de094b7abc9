/**
 * How long schemas are as gateways write them for a model that has no word for references: each is a copy of what it
 * names. They read them more loosely than any standard, and one has what stands beside a reference where another leaves it
 * out: here all of it counts. No copy is made: each definition is read once, and its length taken wherever it is named.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { type JsonSize, jsonPartOf, sizeOfPart } from '../core/text-tokens.ts';
import { toolsOf } from './all-tools.ts';
import type { Schemas } from './codec.ts';
import type { Tool } from './neutral.ts';
import { isCopied } from './schema-copies.ts';
import { add, Document, nothing, type Part } from './schema-document.ts';
import { SchemaLooks, tooLarge } from './schema-work.ts';

export interface SchemaSize extends JsonSize {
  /** Schemas, keywords and members of lists. */
  entries: number;
}

/** Throws `invalid_request` for what takes more work to make than any model could read. */
export function checkSize({ entries }: SchemaSize): void {
  if (entries > limits.schemaEntries) throw tooLarge();
}

/** What a conversation stands in, on whichever wire. */
const SAID: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'contents',
  'system',
  'systemInstruction',
  'system_instruction',
]);

/**
 * All of a request that may be schemas, whether or not its own wire has them there. A text is none, and of what is said
 * there are the tools that an item brings.
 */
export function schemaFields(body: JsonObject): JsonObject {
  const fields = Object.entries(body).filter(
    ([name, value]) => typeof value === 'object' && value !== null && !SAID.has(name),
  );
  const { input = null, messages = null } = body;
  // What holds tools says nothing but them.
  const added = toolsOf({ input, messages }).filter((tool) => !Array.isArray(tool.tools));
  return { ...Object.fromEntries(fields), ...(added.length > 0 && { input: added }) };
}

/** How something may mean more than it says: it has references, or else what is copied where no references are. */
export function moreIn(value: Json[] | JsonObject): 'references' | 'copies' | undefined {
  if (!Array.isArray(value) && typeof value.$ref === 'string') return 'references';
  let more: 'copies' | undefined = !Array.isArray(value) && isCopied(value) ? 'copies' : undefined;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner !== 'object' || inner === null) continue;
    const found = moreIn(inner);
    if (found === 'references') return found;
    more ??= found;
  }
  return more;
}

const sizeOf = (part: Part): SchemaSize => ({ ...sizeOfPart(part), entries: part.entries });

/** The schemas of one request. `copies`: as whoever asks Google copies descriptions, see `schema-copies.ts`. */
export class SchemaSizes {
  readonly #copies: boolean;
  readonly #looks = new SchemaLooks();
  readonly #known = new Map<JsonObject, Part>();

  constructor({ copies = false }: { copies?: boolean } = {}) {
    this.#copies = copies;
  }

  /** Throws `invalid_request` where they are more than a model could ever read. */
  ofSchemas({ tools, responseFormat }: Schemas): SchemaSize {
    this.#looks.begin();
    const sum = nothing();
    for (const tool of tools) {
      const besides = { ...tool, parameters: undefined, extra: undefined, value: undefined };
      add(sum, { ...jsonPartOf(JSON.stringify(besides)), entries: Object.keys(besides).length });
      for (const schema of schemasIn(tool)) if (schema) add(sum, this.#ofSchema(schema));
    }
    if (responseFormat?.type === 'schema') add(sum, this.#ofSchema(responseFormat.schema));
    return sizeOf(sum);
  }

  /** The same of all fields that may be schemas. One begins where definitions are. */
  ofFields(fields: JsonObject): SchemaSize {
    this.#looks.begin();
    return sizeOf(this.#measured(fields, false));
  }

  /** How often something was looked at that is no first look. */
  get again(): number {
    return this.#looks.again;
  }

  #ofSchema(schema: JsonObject): Part {
    const part = this.#known.get(schema) ?? this.#measured(schema, true);
    this.#known.set(schema, part);
    return part;
  }

  #measured(root: JsonObject, isSchema: boolean): Part {
    const inner = (schema: JsonObject) => this.#ofSchema(schema);
    return new Document(root, { isSchema, copies: this.#copies, looks: this.#looks, inner }).part();
  }
}

function schemasIn(tool: Tool): (JsonObject | undefined)[] {
  if (tool.type === 'raw') return tool.isOpened ? [] : [tool.value];
  return tool.type === 'function' ? [tool.parameters, tool.extra] : [];
}
