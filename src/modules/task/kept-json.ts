/** What of an upstream's or a caller's JSON is kept of a task. */
import type { Json } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { storableText } from '../../db/statement.ts';

/** The JSON text of a value that jsonb takes; null where the value is too deep, of which nothing is kept. */
export function plainJson(value: Json): string | null {
  const plain = plainOf(value, limits.jsonDepthMax);
  return plain === undefined ? null : JSON.stringify(plain);
}

/** The names in it are an upstream's or a caller's as much as its texts. Undefined where it is deeper than `depth`. */
function plainOf(value: Json, depth: number): Json | undefined {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return undefined;
  const entries: [string, Json][] = [];
  for (const [name, held] of Object.entries(value)) {
    if (held === undefined) continue;
    const plain = plainOf(held, depth - 1);
    if (plain === undefined) return undefined;
    entries.push([storableText(name), plain]);
  }
  return Array.isArray(value) ? entries.map(([, held]) => held) : Object.fromEntries(entries);
}

/** What came of a task, up to a bound: of what is larger or too deep nothing is kept. */
export function keptResult(data: Json): string | null {
  const text = data === null ? null : plainJson(data);
  return text !== null && Buffer.byteLength(text) <= limits.taskDataBytes ? text : null;
}
