/** What the schemas of one request come to with their references put in. */
import { CallersMap } from '../core/callers-keys.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { own } from '../core/own.ts';
import { refuse } from './bounds.ts';
import { objectOf } from './fields.ts';

/**
 * What the schemas of one request may take together. References are put in, so that a short schema can mean a huge one:
 * the work is counted before it is done, in schemas, keywords and members of lists, and in characters that are written.
 */
export class SchemaWork {
  readonly #ways = new Map<JsonObject, Ways>();
  #entries = 0;
  #chars = 0;

  /** Throws `invalid_request` when it is more than a model could ever read. */
  read(schema: JsonObject): void {
    this.#entries++;
    for (const value of Object.values(schema)) {
      this.#entries += 1 + (Array.isArray(value) ? value.length : 0);
    }
    if (this.#entries > limits.schemaEntries) throw tooLarge();
  }

  /** The same for what is written of one schema. */
  wrote(said: Json): void {
    this.#take(JSON.stringify(said).length);
  }

  /** What a reference names by its way through the schema; undefined where that leads to none. */
  target(root: JsonObject, reference: string): JsonObject | undefined {
    this.#take(reference.length);
    const ways = this.#ways.get(root) ?? new Ways(root);
    this.#ways.set(root, ways);
    return ways.target(reference);
  }

  #take(chars: number): void {
    this.#chars += chars;
    if (this.#chars > limits.schemaChars) throw tooLarge();
  }
}

/** How often the schemas of one request are looked at to measure them: what takes longer is more than any model reads. */
export class SchemaLooks {
  #first = 0;
  /** Those that are no first looks: who names one another may mean any number. */
  again = 0;

  /** They are gone through once more, from the first one on. */
  begin(): void {
    this.#first = 0;
  }

  /** Throws `invalid_request`, before so many entries are read. */
  read(entries: number): void {
    this.#first += entries;
    if (this.#first > limits.schemaEntries) throw tooLarge();
  }

  look(times: number): void {
    this.again += times;
    if (this.again > limits.schemaEntries) throw tooLarge();
  }
}

/** The ways through one schema. Each is gone once, however often it is named, and as far as it leads. */
export class Ways {
  readonly #root: JsonObject;
  readonly #targets = new CallersMap<{ target: JsonObject | undefined }>();
  /** How many steps were gone. */
  steps = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  target(reference: string): JsonObject | undefined {
    const known = this.#targets.get(reference) ?? { target: this.#go(reference) };
    this.#targets.set(reference, known);
    return known.target;
  }

  #go(reference: string): JsonObject | undefined {
    let at: JsonObject | undefined = this.#root;
    for (const step of reference.replace(/^#\/?/, '').split('/')) {
      if (step === '') continue;
      if (!at) return undefined;
      this.steps++;
      at = objectOf(own(at, step.replaceAll('~1', '/').replaceAll('~0', '~')));
    }
    return at;
  }
}

export const tooLarge = () =>
  refuse('tools', {
    zh: '展开引用后的结构过大',
    en: 'the schemas are too large with their references put in',
  });
