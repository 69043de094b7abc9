/** Arguments of a call that stream as values at JSON paths: `$.items[0].name`. */
import type { Json, JsonObject } from '../../core/json.ts';
import { LEVELS_MAX } from '../../core/json-depth.ts';
import { objectsOf, textOf } from '../fields.ts';

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g;
/** A list longer than this in the arguments of a call is a mistake of the wire. */
const LIST_MAX = 10_000;

export class PartialArgs {
  #root: JsonObject = {};
  /** Path of the text that the next piece continues. */
  #open: string | undefined;

  add(pieces: unknown): void {
    for (const piece of objectsOf(pieces)) {
      const path = textOf(piece.jsonPath) ?? '';
      const value = valueIn(piece);
      if (value !== undefined) this.#set(path, value, this.#open === path);
      this.#open = piece.willContinue === true ? path : undefined;
    }
  }

  /** Whole arguments, which an upstream may send after all. */
  assign(args: JsonObject | undefined): void {
    this.#root = { ...this.#root, ...args };
  }

  get json(): string {
    return JSON.stringify(this.#root);
  }

  #set(path: string, value: Json, continues: boolean): void {
    const steps = [...path.matchAll(STEP)].map(([, name, index, quoted, double]) =>
      index === undefined ? (name ?? quoted ?? double ?? '') : Number(index),
    );
    if (steps.length > LEVELS_MAX) return;
    const last = steps.pop();
    let at: JsonObject | Json[] = this.#root;
    for (const [n, step] of steps.entries()) {
      const next: Json | undefined = get(at, step);
      const inner: JsonObject | Json[] =
        next !== null && typeof next === 'object'
          ? next
          : typeof (steps[n + 1] ?? last) === 'number'
            ? []
            : {};
      put(at, step, inner);
      at = inner;
    }
    if (last === undefined) return;
    const before = continues ? get(at, last) : undefined;
    put(at, last, typeof before === 'string' && typeof value === 'string' ? before + value : value);
  }
}

const get = (at: JsonObject | Json[], step: string | number): Json | undefined =>
  Array.isArray(at) ? at[Number(step)] : Object.hasOwn(at, step) ? at[step] : undefined;

function put(at: JsonObject | Json[], step: string | number, value: Json): void {
  if (Array.isArray(at)) {
    if (typeof step === 'number' && step < LIST_MAX) at[step] = value;
  } else {
    Object.defineProperty(at, step, { value, enumerable: true, writable: true, configurable: true });
  }
}

function valueIn(piece: JsonObject): Json | undefined {
  if ('nullValue' in piece) return null;
  for (const name of ['stringValue', 'numberValue', 'boolValue']) {
    if (piece[name] !== undefined) return piece[name];
  }
  return undefined;
}
