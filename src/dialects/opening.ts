/** With what a conversation begins: it stays as it is while that goes on, whatever its client calls it. */
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { objectOf } from './fields.ts';

/**
 * What is said before a chat, and the first that is said in it, on whichever wire; of either no more than tells
 * conversations apart. Texts alone, since clients mark what shall be cached anew with each turn, and say the same one time
 * as a text and another as a part.
 */
export function openingOf(body: JsonObject): string {
  const { system, systemInstruction, system_instruction, instructions, messages, contents, input } = body;
  const said = messages ?? contents ?? input;
  const turns = Array.isArray(said) ? said : [said];
  const first = turns.findIndex((turn) => !SAYS_BEFORE.has(objectOf(turn)?.role));
  const before = [system, systemInstruction, system_instruction, instructions, ...turns.slice(0, first)];
  return `${textsIn(before)}\n${textsIn(turns[first])}`;
}

const SAYS_BEFORE: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** The fields in which some wire has what is said. */
const SAID = ['text', 'content', 'parts'];

function textsIn(said: unknown, left: number = limits.openingChars): string {
  if (typeof said === 'string') return said.slice(0, left);
  const inner = Array.isArray(said) ? said : SAID.flatMap((name) => objectOf(said)?.[name] ?? []);
  let texts = '';
  for (const each of inner) {
    if (texts.length >= left) break;
    texts += textsIn(each, left - texts.length);
  }
  return texts;
}
