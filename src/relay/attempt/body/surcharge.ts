/** Fields that carry a surcharge: by them a caller would be served dearer, or by another model, than the call is priced as. */

import { isObject, type JsonObject } from '../../../core/json.ts';
import { withPricedContainers } from '../../../dialects/containers.ts';
import { GATEWAY_FIELDS, type GatewayField } from '../../../dialects/gateway-fields.ts';
import { camelOf } from '../../../dialects/spelling.ts';
import type { RelayRequest } from '../../request.ts';

type Usual = ReadonlyMap<string, readonly unknown[]>;

/** By name; Google's wire is read in both spellings. */
const usualOf = (fields: readonly GatewayField[]): Usual =>
  new Map(
    fields.flatMap(({ name, usual }) =>
      usual
        ? [
            [name, usual],
            [camelOf(name), usual],
          ]
        : [],
    ),
  );

const USUAL: Usual = usualOf(GATEWAY_FIELDS);
/** What is another thing beside chats stays there. */
const USUAL_BESIDE_CHATS: Usual = usualOf(GATEWAY_FIELDS.filter(({ operators }) => operators !== 'chat'));

const USUAL_OF_PICTURES: Usual = new Map([
  ...USUAL_BESIDE_CHATS,
  ...GATEWAY_FIELDS.flatMap(({ name, pictures }): [string, readonly unknown[]][] =>
    Array.isArray(pictures) ? [[name, pictures]] : [],
  ),
]);

/** The body without such fields, and their names. */
export function withoutSurcharges(
  body: JsonObject,
  { operation }: Pick<RelayRequest, 'operation'>,
): { body: JsonObject; dropped: readonly string[] } {
  switch (operation) {
    case 'chat':
    case 'completions':
      return withoutDearer(body);
    case 'images':
    case 'image-edits':
    case 'image-variations':
      return without(dearIn(body, USUAL_OF_PICTURES), body);
    case 'embeddings':
    case 'rerank':
    case 'moderations':
    case 'speech':
    case 'transcriptions':
    case 'translations':
      return without(dearIn(body, USUAL_BESIDE_CHATS), body);
    default:
      return { body, dropped: [] };
  }
}

/** Names of fields that ask for more than the usual. */
const dearIn = (body: JsonObject, usual: Usual): string[] =>
  Object.keys(body).filter((name) => {
    const value = body[name];
    const said = typeof value === 'string' ? value.toLowerCase() : value;
    return said !== undefined && said !== null && usual.get(name)?.includes(said) === false;
  });

const without = (names: readonly string[], body: JsonObject) => ({
  body:
    names.length === 0
      ? body
      : Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))),
  dropped: names,
});

function withoutDearer(body: JsonObject): { body: JsonObject; dropped: readonly string[] } {
  const dropped = dearIn(body, USUAL);
  const priced = withPricedContainers(body);
  const usual = withoutBilledTools(priced);
  const names = [
    ...dropped,
    ...(priced === body ? [] : ['memory_limit']),
    ...(usual === priced ? [] : ['openrouter:*']),
  ];
  return { body: without(dropped, usual).body, dropped: names };
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
