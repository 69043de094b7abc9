/**
 * The bound of what a log row says beside the money. Rows are read many at once, and words of callers and upstreams stand
 * in them.
 */
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * What the row says, within the bound: of what is too heavy the heaviest fields go first, and `cut` names them. Its price
 * stays, by which the charge can be worked out again.
 */
export function fitting(other: JsonObject, price: JsonObject): JsonObject {
  if (bytesOf(other) <= limits.logOtherBytes) return other;
  const facts = Object.keys(other).filter((name) => !Object.hasOwn(price, name));
  const cut: string[] = [];
  const fits: JsonObject = { ...other, cut };
  for (const name of facts.sort((a, b) => bytesOf(other[b]) - bytesOf(other[a]))) {
    if (bytesOf(fits) <= limits.logOtherBytes) break;
    delete fits[name];
    cut.push(name);
  }
  return fits;
}
