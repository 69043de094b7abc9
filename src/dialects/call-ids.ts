/** Ids for calls of dialects that give none: other dialects ask for one, and results must find their call by it. */
import type { Json } from '../core/json.ts';

/** Gives a call without an id one; `response` finds the id of the call that a result answers. */
export interface CallIds {
  call(name: string, given: string | undefined): string;
  response(name: string, given: string | undefined): string;
}

const HEAD = 'call_own_';

/** An id for the nth call of an answer or a history, of letters that every dialect takes. */
export const madeId = (context: string, n: number): string =>
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
  const open = new Map<string, string[]>();
  let n = 0;
  return {
    call(name, given) {
      const id = given || madeId(name, n++);
      open.set(name, [...(open.get(name) ?? []), id]);
      return id;
    },
    response(name, given) {
      const waiting = open.get(name) ?? [];
      const id = given || waiting[0] || madeId(name, n++);
      open.set(
        name,
        waiting.filter((other) => other !== id),
      );
      return id;
    },
  };
}
