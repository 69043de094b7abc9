/** Fields that carry a surcharge: by them a caller would be served dearer, or by another model, than the call is priced as. */

import { isObject, type JsonObject } from '../../../core/json.ts';
import { withPricedContainers } from '../../../dialects/containers.ts';
import { GATEWAY_FIELDS } from '../../../dialects/gateway-fields.ts';
import { camelOf } from '../../../dialects/spelling.ts';
import type { RelayRequest } from '../../request.ts';

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
  const dropped = Object.keys(body).filter((name) => {
    const usual = USUAL.get(name);
    if (!usual) return false;
    const value = body[name];
    const said = typeof value === 'string' ? value.toLowerCase() : value;
    return said !== undefined && said !== null && !usual.includes(said);
  });
  const priced = withPricedContainers(body);
  const usual = withoutBilledTools(priced);
  const names = [
    ...dropped,
    ...(priced === body ? [] : ['memory_limit']),
    ...(usual === priced ? [] : ['openrouter:*']),
  ];
  if (names.length === 0) return { body, dropped };
  return {
    body: Object.fromEntries(Object.entries(usual).filter(([name]) => !dropped.includes(name))),
    dropped: names,
  };
}

/** Tools that OpenRouter itself runs beside any model, and bills as it does its plugins (its guide to server tools). */
const BILLED = /^\s*openrouter:/i;
const isBilled = (tool: unknown): boolean =>
  isObject(tool) && typeof tool.type === 'string' && BILLED.test(tool.type);

/** The body without them; the same object where there are none. A choice among no tools is refused upstream. */
function withoutBilledTools(body: JsonObject): JsonObject {
  if (!Array.isArray(body.tools) || !body.tools.some(isBilled)) return body;
  const { tool_choice: choice, tools: _, ...rest } = body;
  const tools = body.tools.filter((tool) => !isBilled(tool));
  if (tools.length === 0) return rest;
  return { ...rest, tools, ...(choice === undefined || isBilled(choice) ? {} : { tool_choice: choice }) };
}
