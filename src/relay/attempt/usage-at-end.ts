/** Finds the usage in the last part of an answer whose beginning was not kept. */
import { parseJson } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { Passage } from '../../dialects/passage.ts';

/** In a string its quotes would be escaped. */
const NAMES = /(?<!\\)"(usage|usageMetadata)"\s*:\s*(?=\{)/g;

/** Null where the answer itself does not tell it there: what a tool's arguments call so stands deeper. */
export function usageAtEnd(tail: string, passage: Pick<Passage, 'reply'>): Usage | null {
  for (const { 0: found, 1: name = '', index } of [...tail.matchAll(NAMES)].reverse()) {
    const from = index + found.length;
    const { end, depth } = objectAt(tail, from);
    if (end === null || depth !== -1) continue;
    const text = `{"${name}":${tail.slice(from, end)}}`;
    const body = parseJson(text);
    if (body !== undefined) return passage.reply(text, body).facts.usage;
  }
  return null;
}

/** Where the object that begins there ends, and how deep the end of the text is, seen from before it. */
function objectAt(text: string, from: number): { end: number | null; depth: number } {
  let depth = 0;
  let end: number | null = null;
  let isString = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) end ??= at + 1;
    }
  }
  return { end, depth };
}
