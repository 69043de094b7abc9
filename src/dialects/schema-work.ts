/** What the schemas of one request come to with their references put in. */
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
    this.#chars += JSON.stringify(said).length;
    if (this.#chars > limits.schemaChars) throw tooLarge();
  }

  /** What a reference names by its way through the schema; undefined where that leads to none. */
  target(root: JsonObject, reference: string): JsonObject | undefined {
    this.wrote(reference);
    let target: Json | undefined = root;
    for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
      target = own(objectOf(target) ?? {}, step.replaceAll('~1', '/').replaceAll('~0', '~'));
    }
    return objectOf(target);
  }
}

export const tooLarge = () =>
  refuse('tools', {
    zh: '展开引用后的结构过大',
    en: 'the schemas are too large with their references put in',
  });
