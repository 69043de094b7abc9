/**
 * Ids of calls between wires. Only some makers give each call an id of its own; others count the calls of each answer anew
 * (`Bash:0`, `call_0`), in letters that not every wire takes. Anthropic and OpenAI's Responses refuse a talk with two alike,
 * and Claude Code, which pairs calls and results by ids alone, would make the same call for ever.
 */
import { CallersMap, callersSet } from '../core/callers-keys.ts';
import { bareName, isOpenAis, namesClaude } from '../core/model-families.ts';
import type { CallIdForm } from './codec.ts';
import { compact } from './fields.ts';
import type { ChatRequest, Part } from './neutral.ts';
import { digestOf, shortName } from './short-names.ts';
import { AS_IT_CAME, type Telling, telling } from './telling.ts';

// ---- Answers -----------------------------------------------------------------------------------------------------

/**
 * The calls of an answer to a request by ids that its caller takes, and that no call of the talk has. Most stay as they
 * came. `answer` names the answer, so that talks of one agent beside one another do not meet either.
 */
export function answersIds({ messages }: ChatRequest, form: CallIdForm | undefined, answer: string): Telling {
  if (!form) return AS_IT_CAME;
  const known = callersSet(messages.flatMap(({ parts }) => parts.flatMap(idOfCall)));
  return telling(() => {
    const said = new Set<string>();
    let made = 0;
    const isFree = (id: string) => isTaken(id, form) && !known.has(id) && !said.has(id);
    return (part) => {
      if (part.type !== 'tool-call') return part;
      let id = part.id;
      while (!isFree(id)) id = lent(part.id, digestOf(`${answer} ${made++}`, MARK_CHARS));
      said.add(id);
      return { ...part, id };
    };
  });
}

const idOfCall = (part: Part): string[] => (part.type === 'tool-call' ? [part.id] : []);

const isTaken = (id: string, { isPlain }: CallIdForm): boolean => id !== '' && (!isPlain || PLAIN.test(id));
const PLAIN = /^[\w-]+$/;

/**
 * An id lent to a call in place of its own, which it holds. The maker of the call gets that back: Kimi's models read in
 * ids how a tool is called and stop calling where they find others, and some gateways keep thought signatures there.
 */
const lent = (id: string, mark: string): string =>
  `as_${mark}_${id.replace(/\W/g, (letter) => `-${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)}`;
const MARK_CHARS = 8;
const LENT = /^as_[0-9a-f]{8}_([\w-]+)$/;

const ownId = (id: string): string =>
  LENT.exec(id)?.[1]?.replace(/-([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  ) ?? id;

// ---- Requests ----------------------------------------------------------------------------------------------------

/** Claude's models and OpenAI's are refused two alike by whoever passes them on, too. */
const formFor = (model: string): CallIdForm | undefined =>
  namesClaude(model) || isOpenAis(bareName(model)) ? { isPlain: true } : undefined;

/**
 * The calls of a talk and their results by ids that a model takes on a wire of this form: the same for the same talk,
 * however long it grows.
 */
export function withIdsFor(
  request: ChatRequest,
  model: string,
  form: CallIdForm | undefined = formFor(model),
): ChatRequest {
  const ids = form ? new DistinctIds(form) : { begin: () => undefined, call: ownId, result: ownId };
  const names = new CallersMap<string>();
  const told = (part: Part): Part => {
    if (part.type === 'tool-call') {
      names.set(part.id, part.name);
      return { ...part, id: ids.call(part.id) };
    }
    if (part.type !== 'tool-result') return part;
    // Wires without ids have names of tools in their place.
    return compact({ ...part, id: ids.result(part.id), name: part.name ?? names.get(part.id) });
  };
  let before = '';
  const messages = request.messages.map((message) => {
    if (message.role === 'assistant' && before !== 'assistant') ids.begin();
    before = message.role;
    return { ...message, parts: message.parts.map(told) };
  });
  return { ...request, messages };
}

/** What calls of one turn that came with one id are called: their results take these in their order. */
interface Due {
  turn: number;
  ids: string[];
  taken: number;
}

class DistinctIds {
  /** By each id that is given, the number of the next one that is made of it. */
  readonly #next = new CallersMap<number>();
  readonly #due = new CallersMap<Due>();
  #turn = 0;

  constructor(readonly form: CallIdForm) {}

  begin(): void {
    this.#turn++;
  }

  call(given: string): string {
    const id = this.#distinct(given);
    const due = this.#due.get(given);
    if (due?.turn === this.#turn) due.ids.push(id);
    else this.#due.set(given, { turn: this.#turn, ids: [id], taken: 0 });
    return id;
  }

  /** One too many answers the last. */
  result(given: string): string {
    const due = this.#due.get(given);
    return due?.ids[Math.min(due.taken++, due.ids.length - 1)] ?? this.#fitting(given);
  }

  #distinct(given: string): string {
    const first = this.#fitting(given);
    let id = first;
    let next = this.#next.get(first) ?? 2;
    while (this.#next.get(id) !== undefined) id = this.#fitting(`${given}_${next++}`);
    this.#next.set(first, next);
    if (id !== first) this.#next.set(id, 2);
    return id;
  }

  #fitting(id: string): string {
    const { isPlain, most = id.length } = this.form;
    return shortName(isPlain ? id.replace(/[^\w-]/g, '_') : id, most);
  }
}
