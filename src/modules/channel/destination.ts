/**
 * Where the keys of a channel go. A key belongs to the place that it was given for: what would lead it anywhere else, or
 * past somebody who could read it, needs it again. Every change of a channel is held against this one rule; changes of
 * many channels at once cannot touch what it looks at.
 */
import type { Text } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { channels } from '../../db/schema/channel.ts';
import { operatorsFieldsIn } from '../../dialects/operators-fields.ts';
import { findProvider } from '../../providers/registry.ts';
import { calledAddress } from './address.ts';
import { madeAddresses } from './made-addresses.ts';

/** What of a channel says where its keys go. */
export const DESTINATION_FIELDS = ['type', 'base_url', 'other', 'setting', 'param_override'] as const;
export type DestinationFields = Pick<typeof channels.$inferSelect, (typeof DESTINATION_FIELDS)[number]>;

export interface Destination {
  type: number;
  /** Every address that a key, or a token made of it, is sent to, up to the model. */
  addresses: ReadonlySet<string>;
  /** The proxy that reads the calls, because one of the addresses is plain http; null for none. */
  reader: string | null;
  /** Headers that travel with the key: gateways on the way are told by them where to send it. */
  headers: string;
  /** Fields of every body by which such gateways are told the same. */
  fields: JsonObject;
}

/** The channel with these keys, opened. */
export async function destinationOf(
  { type, base_url, other, setting, param_override }: DestinationFields,
  keys: readonly string[],
): Promise<Destination> {
  const provider = findProvider(type);
  const baseUrl = calledAddress({ type, base_url });
  const of = (key: string) => [
    ...(provider?.keyGoesTo?.({ baseUrl, key, other }) ?? [baseUrl]),
    ...(provider?.keyNames?.(key) ?? []),
  ];
  const place = provider?.isVersion?.(other) ? '' : other;
  const made = (provider && (await madeAddresses(provider, { baseUrl, other: place }))) ?? null;
  // Of what says neither by its calls nor by itself where keys go, every word may.
  const rest = made ?? (provider?.keyGoesTo ? [] : [place]);
  const addresses = new Set([...(keys.length > 0 ? keys : ['']).flatMap(of), ...rest].map(asCalled));
  const isPlain = [...addresses].some((address) => address.startsWith('http:'));
  const { proxy } = setting;
  return {
    type,
    addresses,
    reader: isPlain && typeof proxy === 'string' && proxy !== '' ? proxy : null,
    headers: headersOf(setting),
    fields: operatorsFieldsIn(param_override),
  };
}

const TYPE = { zh: '渠道类型', en: 'the type' };
const ADDRESS = { zh: '渠道地址', en: 'the address' };
/** What the field `other` is called in the form of this type. */
export const otherLabel = (type: number): Text => findProvider(type)?.form.other?.label ?? ADDRESS;
const PROXY = { zh: '明文地址前的代理', en: 'the proxy in front of a plain http address' };
const HEADERS = { zh: '附加请求头', en: 'the added headers' };
const FIELDS = {
  zh: '参数覆盖中决定请求去向的字段',
  en: 'fields of the parameter override that say where calls go',
};

/** What leads the keys elsewhere than before, or past another reader; null when nothing does. */
export function leadingElsewhere(
  before: Destination,
  after: Destination,
  changed: Partial<DestinationFields>,
): Text | null {
  if (after.type !== before.type) return TYPE;
  if (![...after.addresses].every((address) => before.addresses.has(address))) {
    return changed.base_url === undefined && changed.other !== undefined ? otherLabel(after.type) : ADDRESS;
  }
  if (after.reader !== null && after.reader !== before.reader) return PROXY;
  if (after.headers !== before.headers) return HEADERS;
  return Bun.deepEquals(after.fields, before.fields) ? null : FIELDS;
}

/**
 * Whether the override has calls name an address that they did not. Which of its fields are read together nobody here
 * knows: a secret of one may go to the address of another.
 */
export function namesNewAddress(
  before: Pick<DestinationFields, 'param_override'>,
  after: Pick<DestinationFields, 'param_override'>,
): boolean {
  const known = new Set(textsWithAddresses(before.param_override));
  return textsWithAddresses(after.param_override).some((text) => !known.has(text));
}

/** Names of fields are texts, too. */
function textsWithAddresses(value: unknown): string[] {
  if (typeof value === 'string') return value.includes('://') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(textsWithAddresses);
  return isObject(value) ? textsWithAddresses(Object.entries(value).flat()) : [];
}

/**
 * Addresses that are the same call to the same place are the same text. The path counts: one host may serve many
 * houses, such as a gateway that has an account's name in it.
 */
const asCalled = (address: string): string =>
  URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address;

function headersOf({ headers }: JsonObject): string {
  const all = isObject(headers) ? Object.entries(headers) : [];
  return JSON.stringify(all.map(([name, value]) => [name.toLowerCase(), value]).sort());
}
