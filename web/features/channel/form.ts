/** The channel form: its values, its rules in the specification's words, and the body that it sends. */

import { isObject, parseJson, parseObject } from '@core/json.ts';
import { NEVER } from '@core/time.ts';
import { COST_RATIO_MAX, cleanAddress, PRIORITY_MIN } from '@modules/channel/facts.ts';
import type { BodyOf } from '@/lib/calls.ts';
import { expiryFault, expiryText, readExpiry } from '@/lib/expiry.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import { type Channel, type ChannelType, groupsOf, modelsOf } from './channel.ts';

export interface ChannelValues {
  /** The type's number as the select holds it. */
  type: string;
  name: string;
  /** On a new channel, whether several lines are several channels; else which of its keys is asked next. */
  keyMode: 'split' | 'random' | 'polling';
  /** Empty on a saved channel: its key stays. */
  key: string;
  baseUrl: string;
  /** Only of a saved channel. */
  privateAllowed: boolean;
  other: string;
  organization: string;
  models: string[];
  groups: string[];
  /** Empty: the first model. */
  testModel: string;
  /** JSON text, like the other mappings. */
  mapping: string;
  priority: string;
  weight: string;
  tag: string;
  autoBan: boolean;
  maxInput: string;
  /** Part of the model's price that the upstream takes; empty where it is not known. */
  costRatio: string;
  /** `yyyy-MM-dd HH:mm:ss` in the viewer's zone; empty for never. */
  expiry: string;
  statusMapping: string;
  override: string;
  setting: string;
}

/** What stands in the field for a channel that does not expire. */
const NO_EXPIRY = '';

export const emptyChannel: ChannelValues = {
  type: '1',
  name: '',
  keyMode: 'split',
  key: '',
  baseUrl: '',
  privateAllowed: false,
  other: '',
  organization: '',
  models: [],
  groups: ['default'],
  testModel: '',
  mapping: '',
  priority: '0',
  weight: '0',
  tag: '',
  autoBan: true,
  maxInput: '0',
  costRatio: '',
  expiry: NO_EXPIRY,
  statusMapping: '',
  override: '',
  setting: '',
};

/** What stands below the fold. */
export const advancedFields = [
  'priority',
  'weight',
  'tag',
  'autoBan',
  'maxInput',
  'costRatio',
  'expiry',
  'statusMapping',
  'override',
  'setting',
] as const satisfies readonly (keyof ChannelValues)[];

export const valuesOf = (channel: Channel, timeZone: string): ChannelValues => ({
  type: String(channel.type),
  name: channel.name,
  keyMode: channel.multi_key_mode,
  key: '',
  baseUrl: channel.base_url,
  privateAllowed: channel.private_allowed,
  other: channel.other,
  organization: channel.openai_organization,
  models: modelsOf(channel),
  groups: groupsOf(channel),
  testModel: channel.test_model,
  mapping: channel.model_mapping,
  priority: String(channel.priority),
  weight: String(channel.weight),
  tag: channel.tag,
  autoBan: channel.auto_ban === 1,
  maxInput: String(channel.max_input_tokens),
  expiry: expiryText(channel.expired_time > 0 ? channel.expired_time : NEVER, timeZone, NO_EXPIRY),
  statusMapping: channel.status_code_mapping,
  override: channel.param_override,
  ...withoutCost(channel.setting),
});

/** The cost price has a field of its own, and is one key of the setting to the server. */
function withoutCost(setting: string): Pick<ChannelValues, 'setting' | 'costRatio'> {
  const { cost_ratio: ratio, ...rest } = parseObject(setting) ?? {};
  if (typeof ratio !== 'number') return { setting, costRatio: '' };
  return {
    setting: Object.keys(rest).length > 0 ? JSON.stringify(rest, null, 2) : '',
    costRatio: String(ratio),
  };
}

const withCost = ({ setting, costRatio }: ChannelValues): string =>
  costRatio.trim() === ''
    ? setting
    : JSON.stringify({ ...parseObject(setting), cost_ratio: Number(costRatio) }, null, 2);

export const endsWithV1 = (address: string): boolean => /\/v1$/i.test(cleanAddress(address));
export const withoutV1 = (address: string): string => cleanAddress(address).replace(/\/v1$/i, '');

/** Where it is the whole address of the call, nothing is added to it. */
export const warnsOfV1 = ({ baseUrl }: ChannelValues, type: ChannelType | undefined): boolean =>
  !type?.form.wholeAddress && endsWithV1(baseUrl);

/**
 * The values of another type: what the type means by an empty field takes the place of what the old one meant, and so does
 * its name where the channel is called after it.
 */
export function withType(values: ChannelValues, type: string, types: readonly ChannelType[]): ChannelValues {
  const [from, to] = [values.type, type].map((number) => types.find((one) => String(one.type) === number));
  const otherOf = (of: ChannelType | undefined) => of?.form.other?.default ?? '';
  const other = values.other === otherOf(from) ? otherOf(to) : values.other;
  const name = from && to && values.name === from.label ? to.label : values.name;
  return { ...values, type, other, name };
}

/** How many keys were typed: one a line. Where a key is a document, several lines are one, unless each is whole in itself. */
export function keyCount(key: string, isDocument: boolean): number {
  const lines = key.split('\n').filter((line) => line.trim());
  return isDocument && !lines.every((line) => isObject(parseJson(line))) ? 1 : lines.length;
}

/** The values after a save: the key is stored, the address is clean, and the server has said where it may lead. */
export const savedValues = (
  values: ChannelValues,
  saved?: Pick<Channel, 'private_allowed'>,
): ChannelValues => ({
  ...values,
  key: '',
  baseUrl: cleanAddress(values.baseUrl),
  privateAllowed: saved?.private_allowed ?? values.privateAllowed,
});

export const isSame = (a: ChannelValues, b: ChannelValues): boolean =>
  JSON.stringify(changeOf(0, a, 'UTC')) === JSON.stringify(changeOf(0, b, 'UTC'));

/** Values that the server takes with the key alone, and its words for why. */
export interface Refused {
  values: ChannelValues;
  text: string;
}

export interface Surroundings {
  type: ChannelType | undefined;
  /** The values of the saved channel; undefined for a new one. */
  saved?: ChannelValues;
  /** What was refused last. */
  refused?: Refused | null;
  timeZone: string;
  /** Unix seconds. */
  now: number;
}

export function channelErrors(
  values: ChannelValues,
  { type, saved, refused, timeZone, now }: Surroundings,
  t: TFunction,
): FieldErrors<ChannelValues> {
  const isJson = (text: string) => jsonError(text, t);
  return {
    name: values.name.trim() ? undefined : t(saved ? 'channel.fillName' : 'channel.fillNameKey'),
    key: keyError(values, { type, saved, refused }, t),
    expiry: expiryError(values.expiry, { timeZone, now, saved }, t),
    baseUrl: addressError(values, type, t),
    models: values.models.length > 0 ? undefined : t('channel.modelsNeeded'),
    mapping: isJson(values.mapping),
    priority: priorityError(values.priority, t),
    weight: isWhole(values.weight, 0) ? undefined : t('channel.weightBad'),
    maxInput: isWhole(values.maxInput, 0) ? undefined : t('channel.maxInputBad'),
    costRatio: isCostRatio(values.costRatio) ? undefined : t('channel.costRatioBad'),
    statusMapping: isJson(values.statusMapping),
    override: isJson(values.override),
    setting: isJson(values.setting),
  };
}

const isCostRatio = (text: string): boolean =>
  text.trim() === '' || (Number(text) >= 0 && Number(text) <= COST_RATIO_MAX);

export const isWhole = (text: string, min: number): boolean =>
  /^-?\d+$/.test(text.trim()) && Number.isSafeInteger(Number(text)) && Number(text) >= min;

export function priorityError(text: string, t: TFunction): string | undefined {
  if (isWhole(text, PRIORITY_MIN)) return undefined;
  return t(/^-?\d+$/.test(text.trim()) ? 'channel.priorityBad' : 'channel.priorityNotWhole');
}

function keyError(
  values: ChannelValues,
  { type, saved, refused }: Pick<Surroundings, 'type' | 'saved' | 'refused'>,
  t: TFunction,
) {
  const { key, baseUrl, type: number } = values;
  if (key.trim()) return undefined;
  if (!saved) return t('channel.fillNameKey');
  // The old key must not travel elsewhere unseen. What else leads it away, or has it open more, the server says.
  if (number !== saved.type) return t('channel.keyAgainType');
  const called = (address: string) => cleanAddress(address) || (type?.base_url ?? '');
  if (called(baseUrl) !== called(saved.baseUrl)) return t('channel.keyAgain');
  return refused && isSame(values, refused.values) ? refused.text : undefined;
}

function expiryError(
  text: string,
  { timeZone, now, saved }: Pick<Surroundings, 'timeZone' | 'now' | 'saved'>,
  t: TFunction,
) {
  const fault = expiryFault(text, { timeZone, now, initial: saved?.expiry ?? NO_EXPIRY }, NO_EXPIRY);
  return fault && t(fault === 'bad' ? 'channel.expiryBad' : 'channel.expiryPast');
}

function addressError({ baseUrl }: ChannelValues, type: ChannelType | undefined, t: TFunction) {
  const address = cleanAddress(baseUrl);
  if (address === '') return type?.form.baseUrl === 'required' ? t('channel.baseUrlNeeded') : undefined;
  return /^https?:\/\//i.test(address) ? undefined : t('channel.baseUrlBad');
}

/** What is wrong with a field that holds a JSON object or nothing. */
export function jsonError(text: string, t: TFunction): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? undefined : t('channel.jsonObject', { sample: '{"a": "b"}' });
  } catch (error) {
    // Where the browser tells the place, so do we.
    const place = /line (\d+) column (\d+)/.exec(error instanceof Error ? error.message : '');
    return place ? t('channel.jsonBadAt', { line: place[1], column: place[2] }) : t('channel.jsonBad');
  }
}

/** The body of a create. An empty key is left out: it stays. */
export const bodyOf = (values: ChannelValues, timeZone: string): BodyOf<'post', '/api/channel/'> => ({
  type: Number(values.type),
  name: values.name.trim(),
  ...(values.key.trim() ? { key: values.key.trim() } : {}),
  base_url: cleanAddress(values.baseUrl),
  other: values.other.trim(),
  openai_organization: values.organization.trim(),
  models: values.models.join(','),
  group: values.groups.join(','),
  test_model: values.testModel,
  model_mapping: values.mapping,
  priority: Number(values.priority),
  weight: Number(values.weight),
  tag: values.tag.trim(),
  auto_ban: values.autoBan ? 1 : 0,
  max_input_tokens: Number(values.maxInput),
  multi_key_mode: values.keyMode,
  expired_time: readExpiry(values.expiry, timeZone, NO_EXPIRY) ?? NEVER,
  status_code_mapping: values.statusMapping,
  param_override: values.override,
  setting: withCost(values),
});

/** The body of an update. Keys are split among channels when they are made, and never after. */
export function changeOf(
  id: number,
  values: ChannelValues,
  timeZone: string,
): BodyOf<'put', '/api/channel/'> {
  const { multi_key_mode: mode, ...body } = bodyOf(values, timeZone);
  return {
    ...body,
    id,
    private_allowed: values.privateAllowed,
    multi_key_mode: mode === 'split' ? undefined : mode,
  };
}
