/** Fields that carry a surcharge: by them a caller would be served dearer, or by another model, than the call is priced as. */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../core/json.ts';
import { own } from '../../../core/own.ts';
import type { Vendor } from '../../../core/vendor-bill.ts';
import { type KnownTool, withEachTool } from '../../../dialects/all-tools.ts';
import { withPricedContainer } from '../../../dialects/containers.ts';
import type { SpokenDialect } from '../../../dialects/dialect.ts';
import { textOf } from '../../../dialects/fields.ts';
import { GATEWAY_FIELDS, type GatewayField } from '../../../dialects/gateway-fields.ts';
import { camelOf } from '../../../dialects/spelling.ts';
import { withoutUntold } from '../../../dialects/told-tools.ts';
import type { RoutedChannel } from '../../../modules/channel/model.ts';
import type { Options } from '../../../options/store.ts';
import type { HostTools, Provider } from '../../../providers/provider.ts';
import { hostToolsAt, vendorAt } from '../../../providers/registry.ts';
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

/** What is sold at a channel beside its models. */
export interface Sold {
  /** US dollars for a thousand uses of a tool, by its name. */
  tools: Readonly<Record<string, number>>;
  /** What its host runs that belongs to no vendor of a model. */
  host: HostTools | undefined;
  /** Whose address it is; null for an operator's own. */
  vendor: Vendor | null;
}

export const soldAt = (
  provider: Provider,
  { baseUrl }: Pick<RoutedChannel, 'baseUrl'>,
  options: Options,
): Sold => ({
  tools: options.get('ToolPrices'),
  host: hostToolsAt(provider, baseUrl),
  vendor: vendorAt(provider, baseUrl),
});

export type Asked = Pick<RelayRequest, 'operation' | 'dialect'>;

/** The body without such fields and tools, and their names. */
export function withoutSurcharges(
  body: JsonObject,
  { operation, dialect }: Asked,
  sold: Sold,
): { body: JsonObject; dropped: readonly string[] } {
  switch (operation) {
    case 'chat':
    case 'completions':
      return withoutDearer(body, dialect, sold);
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
    const among = usual.get(name);
    return (
      among && said !== undefined && said !== null && !among.some((each) => isDeepStrictEqual(each, said))
    );
  });

/** In the words of its upstream's wire: what of its tools would be used there untold stays behind, too. */
export const withoutUntoldTools = (
  body: JsonObject,
  { dialect, names }: { dialect: SpokenDialect; names: readonly string[] },
  { tools, vendor }: Sold,
): { body: JsonObject; dropped: readonly string[] } =>
  withoutUntold(body, {
    wire: dialect.id,
    vendor,
    names,
    isPriced: (name) => own(tools, name) !== undefined,
  });

const without = (names: readonly string[], body: JsonObject) => ({
  body:
    names.length === 0
      ? body
      : Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))),
  dropped: names,
});

function withoutDearer(
  body: JsonObject,
  dialect: Asked['dialect'],
  sold: Sold,
): { body: JsonObject; dropped: readonly string[] } {
  const fields = dearIn(body, USUAL);
  const tools = new Set<string>();
  let isSized = false;
  const usual = withEachTool(body, (tool, { isInside }) => {
    const priced = withPricedContainer(tool);
    isSized ||= priced !== tool;
    const stays = soldOf(priced, isInside, dialect.knownTool, sold);
    const left = stays === priced ? [] : namesOf(priced, stays);
    for (const name of left) if (tools.size < NAMED_MAX) tools.add(name);
    return stays;
  });
  const dropped = [...fields, ...(isSized ? ['memory_limit'] : []), ...tools];
  return { body: without(fields, usual).body, dropped };
}

function soldOf(
  tool: JsonObject,
  isInside: boolean,
  known: KnownTool | undefined,
  { tools, host }: Sold,
): JsonObject | null {
  if (host?.runs(tool)) return null;
  return known ? known(tool, { isInside, isPriced: (name) => own(tools, name) !== undefined }) : tool;
}

/** As headers and logs can tell it. */
const NAME = /^[\w.-]{1,64}$/;
const NAMED_MAX = 16;
const OF_ROUTER = /^\s*openrouter:/i;

/** What of a tool stays behind: some of its fields, or all of it by its type or the field that switched it on. */
function namesOf(tool: JsonObject, left: JsonObject | null): string[] {
  const fields = Object.keys(tool);
  const gone = left ? fields.filter((field) => !(field in left)) : [textOf(tool.type) ?? fields[0] ?? ''];
  return gone.map(shown);
}

function shown(name: string): string {
  if (OF_ROUTER.test(name)) return 'openrouter:*';
  return NAME.test(name) ? name : 'tools';
}
