/** What the schemas of one request may take to be read and measured, and the ways that their references go. */
import { CallersMap } from '../core/callers-keys.ts';
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { own } from '../core/own.ts';
import { refuse } from './bounds.ts';
import { objectOf } from './fields.ts';

/** Second looks for each first one: where definitions name one another a few words may mean any number. */
const LOOKS_AGAIN = 8;

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

  /** The same where few words would take much work. */
  look(times: number): void {
    this.again += times;
    if (this.again > LOOKS_AGAIN * this.#first + limits.schemaEntriesAgain) throw tooLarge();
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
