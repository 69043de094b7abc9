/** Inputs as OpenAI takes them: one text or many, or the same as numbers of tokens. */
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { atMost, isAbsent, refuse, wrong } from '../bounds.ts';
import { objectOf, textOf } from '../fields.ts';
import { either, list, NUMBERS, type Shape, TEXT } from '../other-texts.ts';

export interface TextInputs {
  texts: string[];
  /** Tokens that were sent as their numbers. */
  tokens: number;
  /** Inputs in all, each of which gets an answer. */
  count: number;
}

const isToken = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

const areTokens = (value: unknown): value is number[] => Array.isArray(value) && value.every(isToken);

/** How they stand in a request. */
export const INPUTS: Shape = either(TEXT, list(either(TEXT, NUMBERS)));

/** Throws `invalid_request` for what is none; `objects` are inputs where their texts are read, too. */
export function readInputs(value: unknown, field: string, objects?: typeof textsOf): TextInputs {
  if (isAbsent(value)) throw refuse(field, wrong.missing);
  if (typeof value === 'string') return { texts: [value], tokens: 0, count: 1 };
  if (!Array.isArray(value)) throw refuse(field, wrong.stringOrArray);
  if (value.length === 0) throw refuse(field, wrong.empty);
  if (areTokens(value)) return { texts: [], tokens: value.length, count: 1 };
  if (value.length > limits.messagesMax) throw refuse(field, atMost(limits.messagesMax, '项输入', 'inputs'));
  const inputs: TextInputs = { texts: [], tokens: 0, count: value.length };
  for (const [n, item] of value.entries()) {
    if (typeof item === 'string') inputs.texts.push(item);
    else if (areTokens(item)) inputs.tokens += item.length;
    else if (objects && objectOf(item)) inputs.texts.push(...objects(objectOf(item) ?? {}));
    else throw refuse(`${field}[${n}]`, wrong.stringOrTokens);
  }
  return inputs;
}

/** Of Jina's objects `{ text }` and `{ image }`. */
export const textsOf = (item: JsonObject): string[] => {
  const text = textOf(item.text);
  return text === undefined ? [] : [text];
};
