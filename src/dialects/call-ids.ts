/** Ids for calls of dialects that give none: other dialects ask for one, and results must find their call by it. */
import { CallersMap } from '../core/callers-keys.ts';
import type { Json } from '../core/json.ts';

/** Gives a call without an id one; `response` finds the id of the call that a result answers. */
export interface CallIds {
  call(name: string, given: string | undefined): string;
  response(name: string, given: string | undefined): string;
}

const HEAD = 'call_own_';

/** An id for the nth call of an answer or a history, of letters that every dialect takes. */
const madeId = (context: string, n: number): string =>
  `${HEAD}${context.replace(/[^a-zA-Z0-9-]/g, '').slice(0, 40)}_${n}`;

/** Whether the id is of our making: its dialect never saw it. */
export const isMadeId = (id: string): boolean => id.startsWith(HEAD);

/** What tells answers apart when the upstream gives them no id: the same answer always gets the same. */
export const fingerprint = (value: Json): string => Bun.hash(JSON.stringify(value)).toString(36);

/** Numbers the calls of an answer that come without an id. */
export function answerIds(answer: string): CallIds {
  let n = 0;
  return { call: (_name, given) => given || madeId(answer, n++), response: (_name, given) => given ?? '' };
}

/** Numbers the calls of a history. Results answer the calls of their name in order where no id says which. */
export function historyIds(): CallIds {
  const open = new CallersMap<Waiting>();
  let n = 0;
  return {
    call(name, given) {
      const id = given || madeId(name, n++);
      const waiting = open.get(name) ?? new Waiting();
      open.set(name, waiting);
      waiting.add(id);
      return id;
    },
    response(name, given) {
      const waiting = open.get(name);
      const id = given || waiting?.first || madeId(name, n++);
      waiting?.take(id);
      return id;
    },
  };
}

/** Ids in the order in which they came, of which any may be taken. A history may hold very many: nothing is copied. */
class Waiting {
  readonly #ids: string[] = [];
  readonly #places = new CallersMap<number | undefined>();
  #head = 0;

  add(id: string): void {
    if (this.#places.get(id) === undefined) this.#places.set(id, this.#ids.push(id) - 1);
  }

  get first(): string | undefined {
    for (; this.#head < this.#ids.length; this.#head++) {
      const id = this.#ids[this.#head] ?? '';
      if (this.#places.get(id) === this.#head) return id;
    }
    return undefined;
  }

  take(id: string): void {
    if (this.#places.get(id) !== undefined) this.#places.set(id, undefined);
  }
}
