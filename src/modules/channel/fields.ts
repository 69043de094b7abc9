/** The rules of the channel form: wire fields in, column values out, or the refusal that the spec words. */

import { MODEL_NAME_MAX } from '../../core/bounds.ts';
import { badParam, fail } from '../../core/errors.ts';
import { fieldWords } from '../../core/field-words.ts';
import { isObject, type JsonObject, parseJson, parseObject } from '../../core/json.ts';
import { repeatedName } from '../../core/json-repeats.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { listOf } from '../../core/wire/lists.ts';
import { isStorable } from '../../core/wire/text.ts';
import type { channels } from '../../db/schema/channel.ts';
import { namesOf } from '../../dialects/gateway-fields.ts';
import { folded } from '../../dialects/spelling.ts';
import { checkGroupNames, DEFAULT_GROUP } from '../../options/checks.ts';
import type { Options } from '../../options/store.ts';
import { findProvider } from '../../providers/registry.ts';
import { type ChannelBody, JSON_MAX } from './contract.ts';
import type { DestinationFields } from './destination.ts';
import { cleanAddress, PRIORITY_MIN } from './facts.ts';
import { followMapping } from './mapping.ts';
import type { OpeningFields } from './openings.ts';
import { checkSetting } from './setting.ts';

/** Columns that the form writes; a field that is not given is absent. */
export type ChannelFields = Partial<
  Omit<
    typeof channels.$inferInsert,
    | 'id'
    | 'private_allowed'
    | 'other_info'
    | 'response_time'
    | 'test_time'
    | 'balance'
    | 'balance_updated_time'
    | 'used_quota'
    | 'created_time'
    | 'updated_at'
  >
>;

/**
 * What these fields open depends on the type, so every change of them, also of many channels at once, is checked against
 * each channel.
 */
type HeldAgainstEach = 'models' | 'model_mapping';
/** What a channel's keys may do can be changed of one channel only, where it is held against what they were given for. */
type GuardedField = Exclude<keyof DestinationFields | keyof OpeningFields, HeldAgainstEach>;
export type SharedFields = Omit<ChannelFields, GuardedField>;
export const readSharedFields = (body: Omit<ChannelBody, GuardedField>): SharedFields => readFields(body);

/** Columns that the index repeats. */
export const INDEXED: ReadonlySet<string> = new Set([
  'models',
  'groups',
  'priority',
  'weight',
  'status',
  'tag',
]);

/** Bodies hold these by the caller's will and our price; an override would change what was priced and reserved. */
const PROTECTED: ReadonlySet<string> = new Set([
  ...namesOf(({ fixed }) => fixed === 'top' || fixed === 'both'),
  folded('__proto__'),
]);

/** A server that refuses to be asked for the usage of a stream is not asked for it. */
export const isUnasked = (field: string, value: unknown): boolean =>
  field === 'stream_options' && value === null;

/** Those of a channel's fields that it may not override, in whichever vendor's spelling. */
export const protectedIn = (fields: Readonly<JsonObject>): string[] =>
  Object.entries(fields)
    .filter(([field, value]) => PROTECTED.has(folded(field)) && !isUnasked(field, value))
    .map(([field]) => field);

/** Null is what GET gave for a field that the caller does not change. */
const when = <V, T>(value: V | null | undefined, read: (value: V) => T): T | undefined =>
  value === null || value === undefined ? undefined : read(value);

/** Reads the given fields; throws what the form refuses. */
export function readFields(body: ChannelBody): ChannelFields {
  const given: Record<keyof ChannelFields, unknown> = {
    type: when(body.type, knownType),
    name: body.name?.trim(),
    status: body.status ?? undefined,
    openai_organization: body.openai_organization?.trim(),
    max_input_tokens: body.max_input_tokens ?? undefined,
    base_url: when(body.base_url, cleanAddress),
    other: when(body.other, readOther),
    models: when(body.models, readModels),
    groups: when(body.group, readGroups),
    model_mapping: when(body.model_mapping, json('model_mapping', readMapping)),
    status_code_mapping: when(body.status_code_mapping, json('status_code_mapping', readStatusMapping)),
    setting: when(body.setting, json('setting', readSettingField)),
    param_override: when(body.param_override, json('param_override', readOverride)),
    auto_ban: when(body.auto_ban, Number),
    test_model: body.test_model?.trim(),
    priority: when(body.priority, readPriority),
    weight: when(body.weight, readWeight),
    tag: body.tag?.trim(),
    expired_time: when(body.expired_time, (at) => Math.max(at, 0) || -1),
    multi_key_mode: when(body.multi_key_mode, (mode) => (mode === 'split' ? undefined : mode)),
  };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (fields.name === '') throw fail('CHANNEL_FIELDS');
  return fields as ChannelFields;
}

/** A type that is built; throws CHANNEL_TYPE. */
export function knownType(type: number): number {
  if (!findProvider(type)) throw fail('CHANNEL_TYPE', { params: { type } });
  return type;
}

/** A type without an address of its own needs one. */
export function checkAddressNeeded(type: number, baseUrl: string): void {
  if (findProvider(type)?.baseUrl === null && baseUrl === '') {
    throw fail('CHANNEL_ADDRESS', {
      params: { reason: { zh: '该类型必须填写地址', en: 'this type needs one' } },
    });
  }
}

/** Throws CHANNEL_ADDRESS where a key or the field `other` would make another address than the type's calls have. */
export function checkRegion(type: number, other: string, keys: readonly string[]): void {
  const provider = findProvider(type);
  const format = provider?.otherFormat;
  if (format && other !== '' && !format.isGood(other)) {
    throw fail('CHANNEL_ADDRESS', { params: { reason: format.expected } });
  }
  const isGood = provider?.hasGoodRegion;
  if (!isGood || (keys.length > 0 ? keys : ['']).every((key) => isGood({ key, other }))) return;
  throw fail('CHANNEL_ADDRESS', {
    params: {
      reason: {
        zh: '地区只能由小写字母、数字和连字符组成',
        en: 'a region is made of small letters, digits and hyphens',
      },
    },
  });
}

/** What a type's field `other` holds where the operator leaves it empty. */
export const otherOr = (type: number, other: string): string =>
  other || (findProvider(type)?.form.other?.default ?? '');

function readModels(value: string | string[]): string[] {
  const models = listOf(value);
  if (models.length === 0) throw fail('CHANNEL_MODELS');
  const long = models.find((model) => model.length > MODEL_NAME_MAX);
  if (long || models.length > limits.modelsPerChannel) throw badParam('models');
  return models;
}

const TOO_MANY_GROUPS = {
  zh: `最多 ${limits.groupsPerChannel} 个分组`,
  en: `at most ${limits.groupsPerChannel} groups`,
};

function readGroups(value: string | string[]): string[] {
  const groups = listOf(value);
  if (groups.length === 0) return [DEFAULT_GROUP];
  const reason = groups.length > limits.groupsPerChannel ? TOO_MANY_GROUPS : checkGroupNames(groups);
  if (reason) throw fail('CHANNEL_GROUP', { params: { reason } });
  return groups;
}

/** The object that a JSON text holds, through `read`; an empty text is the empty object. */
const json =
  <T>(field: string, read: (object: JsonObject) => T) =>
  (value: string | Record<string, unknown>): T => {
    const parsed = typeof value === 'string' ? (value.trim() === '' ? {} : parseJson(value)) : value;
    if (!isObject(parsed) || !isStorableJson(parsed))
      throw fail('CHANNEL_JSON', { params: { field: fieldWords(field) } });
    if (JSON.stringify(parsed).length > JSON_MAX) throw badParam(field);
    if (typeof value === 'string') checkNames(field, value);
    return read(parsed as JsonObject);
  };

/** Throws CHANNEL_JSON_TWICE. */
function checkNames(field: string, text: string): void {
  const name = repeatedName(text);
  if (name !== null)
    throw fail('CHANNEL_JSON_TWICE', { params: { field: fieldWords(field), name: asIs(name) } });
}

/** Of some types this is JSON. Throws CHANNEL_JSON_TWICE. */
function readOther(text: string): string {
  const other = text.trim();
  if (parseObject(other)) checkNames('other', other);
  return other;
}

/** Groups that are new to the channel must be there. Throws CHANNEL_GROUP naming the first that is not. */
export function checkGroupsKnown(
  groups: readonly string[] | undefined,
  held: readonly string[],
  options: Pick<Options, 'get'>,
): void {
  const known = options.get('GroupRatio');
  const name = groups?.find((group) => !held.includes(group) && !Object.hasOwn(known, group));
  if (name === undefined) return;
  throw fail('CHANNEL_GROUP', {
    params: { reason: { zh: `没有分组“${name}”`, en: `there is no group "${name}"` } },
  });
}

/** NUL and half characters are legal in JSON texts and impossible in the database; what is nested deeper fits no stack. */
function isStorableJson(value: unknown, depth = 1): boolean {
  if (depth > limits.jsonDepthMax) return false;
  if (typeof value === 'string') return isStorable(value);
  if (Array.isArray(value)) return value.every((held) => isStorableJson(held, depth + 1));
  if (isObject(value)) {
    return Object.entries(value).every(([key, held]) => isStorable(key) && isStorableJson(held, depth + 1));
  }
  return true;
}

function readMapping(object: JsonObject): Record<string, string> {
  for (const [from, to] of Object.entries(object)) {
    if (typeof to !== 'string' || to.trim() === '' || from.trim() === '') {
      throw fail('CHANNEL_JSON', { params: { field: fieldWords('model_mapping') } });
    }
  }
  const mapping = object as Record<string, string>;
  followMapping(mapping);
  return mapping;
}

function readStatusMapping(object: JsonObject): Record<string, string> {
  const isFailure = (status: unknown) => /^[45]\d\d$/.test(String(status));
  for (const [from, to] of Object.entries(object)) {
    if (!isFailure(from) || !isFailure(to)) throw fail('CHANNEL_STATUS_MAPPING');
  }
  return Object.fromEntries(Object.entries(object).map(([from, to]) => [from, String(to)]));
}

function readSettingField(object: JsonObject): JsonObject {
  checkSetting(object);
  return object;
}

function readOverride(object: JsonObject): JsonObject {
  const [field] = protectedIn(object);
  if (field !== undefined) throw fail('CHANNEL_OVERRIDE', { params: { field: asIs(field) } });
  return object;
}

function readPriority(value: number): number {
  if (!Number.isSafeInteger(value) || value < PRIORITY_MIN) throw fail('CHANNEL_PRIORITY');
  return value;
}

function readWeight(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw fail('CHANNEL_WEIGHT');
  return value;
}
