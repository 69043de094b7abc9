/**
 * Maps and Sets of what others write, such as ids of calls and names of tools: wherever values of a request become keys
 * and may be more than some hundreds, it is one of these. Names of objects need none: they are counted before their JSON
 * is parsed. Too many alike are refused, see `alike.ts`.
 */
import { Alike } from './alike.ts';
import { fail } from './errors.ts';

/** Nothing is taken out of it. */
export class CallersMap<V> {
  readonly #values = new Map<string, V>();
  readonly #alike = new Alike();

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  /** Throws `invalid_request`. */
  set(key: string, value: V): void {
    if (!this.#values.has(key) && !this.#alike.takes(key)) throw tooManyAlike();
    this.#values.set(key, value);
  }
}

/** Those strings, each once. Throws `invalid_request`. */
export function callersSet(strings: Iterable<string>): ReadonlySet<string> {
  const alike = new Alike();
  const set = new Set<string>();
  for (const string of strings) {
    if (set.has(string)) continue;
    if (!alike.takes(string)) throw tooManyAlike();
    set.add(string);
  }
  return set;
}

const tooManyAlike = () =>
  fail('invalid_request', {
    params: {
      reason: {
        zh: '请求中有过多哈希值相同的名称或 ID',
        en: 'Too many names or ids of the request have one hash.',
      },
    },
  });
