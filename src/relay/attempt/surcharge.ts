/** Fields that carry a surcharge: by them a caller would be served dearer, or by another model, than the call is priced as. */

import type { JsonObject } from '../../core/json.ts';
import { withPricedContainers } from '../../dialects/containers.ts';
import { GATEWAY_FIELDS } from '../../dialects/gateway-fields.ts';
import { camelOf } from '../../dialects/spelling.ts';
import type { RelayRequest } from '../request.ts';

/** By name; Google's wire is read in both spellings. */
const USUAL: ReadonlyMap<string, readonly unknown[]> = new Map(
  GATEWAY_FIELDS.flatMap(({ name, usual }) =>
    usual
      ? [
          [name, usual],
          [camelOf(name), usual],
        ]
      : [],
  ),
);

/** The body without such fields, and their names. */
export function withoutSurcharges(
  body: JsonObject,
  { operation }: Pick<RelayRequest, 'operation'>,
): { body: JsonObject; dropped: readonly string[] } {
  if (operation !== 'chat' && operation !== 'completions') return { body, dropped: [] };
  const dropped = [...USUAL].flatMap(([name, usual]) => {
    const value = body[name];
    const said = typeof value === 'string' ? value.toLowerCase() : value;
    return said === undefined || said === null || usual.includes(said) ? [] : [name];
  });
  const priced = withPricedContainers(body);
  const names = priced === body ? dropped : [...dropped, 'memory_limit'];
  if (names.length === 0) return { body, dropped };
  return {
    body: Object.fromEntries(Object.entries(priced).filter(([name]) => !dropped.includes(name))),
    dropped: names,
  };
}
