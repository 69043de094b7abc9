/** The rules of the token form: wire fields in, column values out, or the refusal that the spec words. */

import type { WayIn } from '../../core/actor.ts';
import { MODEL_NAME_MAX } from '../../core/bounds.ts';
import { badParam, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { NEVER } from '../../core/time.ts';
import { commaList, hasMoreParts, partsMost, splitList } from '../../core/wire/lists.ts';
import type { tokens } from '../../db/schema/user.ts';
import type { Options } from '../../options/store.ts';
import { parseNetwork } from '../../platform/networks.ts';
import { usableGroups } from '../group/service.ts';
import type { CreateBody } from './contract.ts';
import { NAME_MAX } from './facts.ts';

/** Columns that the form writes; a field that is not given is absent. The quota is the ledger's. */
export type TokenFields = Partial<
  Pick<
    typeof tokens.$inferInsert,
    | 'name'
    | 'expired_time'
    | 'model_limits_enabled'
    | 'model_limits'
    | 'allow_ips'
    | 'group_name'
    | 'own_keys'
  >
>;

export interface Owner {
  id: number;
  group: string;
}

/**
 * What he decides himself, and no application for him: whether a token spends his accounts at suppliers. Throws
 * SCOPE_MISSING where one says that it does.
 */
export function checkOwnKeys({ isHimself }: Maker, { own_keys }: TokenFields): void {
  if (own_keys && !isHimself) throw fail('SCOPE_MISSING');
}

/** Who makes or changes a token of an owner's. */
export interface Maker extends Owner, WayIn {
  /** False for an application, be it by its own token or by the console in its frame. */
  isHimself: boolean;
  /** The application that makes it in his name, and may not for longer than he lets it. */
  appId?: number;
}

const when = <V, T>(value: V | null | undefined, read: (value: V) => T): T | undefined =>
  value === null || value === undefined ? undefined : read(value);

/** Reads the given fields; throws what the form refuses. `group` is judged by `checkGroup`, once it is known to change. */
export function readFields(body: CreateBody): TokenFields {
  const given = {
    name: when(body.name, readName),
    expired_time: when(body.expired_time, readExpiry),
    model_limits_enabled: body.model_limits_enabled ?? undefined,
    model_limits: when(body.model_limits, readModels),
    allow_ips: when(body.allow_ips, readNetworks),
    group_name: body.group?.trim(),
    own_keys: body.own_keys ?? undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Throws TOKEN_NAME, TOKEN_NAME_LENGTH. */
export function readName(text: string): string {
  const name = text.trim();
  if (name === '') throw fail('TOKEN_NAME');
  if ([...name].length > NAME_MAX) throw fail('TOKEN_NAME_LENGTH');
  return name;
}

/** Unix seconds, -1 for never. A text without a zone is in the server's. Throws TOKEN_EXPIRY. */
function readExpiry(value: number | string): number {
  const text = String(value).trim();
  if (text === String(NEVER)) return NEVER;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const match = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text);
  if (!match) throw fail('TOKEN_EXPIRY');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const date = new Date(year, month - 1, day, hour, minute, second);
  // The 31st of February becomes a day of March: such a text names no time.
  const isReal =
    date.getFullYear() === year &&
    date.getMonth() === month - 1 &&
    date.getDate() === day &&
    date.getHours() === hour &&
    date.getMinutes() === minute &&
    date.getSeconds() === second;
  if (!isReal) throw fail('TOKEN_EXPIRY');
  return Math.floor(date.getTime() / 1000);
}

/** Throws TOKEN_QUOTA. */
export function readQuota(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw fail('TOKEN_QUOTA');
  return value;
}

function readModels(value: string | string[]): string[] {
  const text = commaList(value);
  if (hasMoreParts(text, ',', partsMost(limits.tokenModels))) throw fail('TOKEN_MODELS');
  const models = splitList(text, ',');
  if (models.length > limits.tokenModels || models.some((model) => model.length > MODEL_NAME_MAX)) {
    throw fail('TOKEN_MODELS');
  }
  return models;
}

function readNetworks(text: string): string[] {
  if (hasMoreParts(text, '\n', partsMost(limits.tokenNetworks))) throw badParam('allow_ips');
  const lines = splitList(text, /\r?\n/);
  const bad = lines.find((line) => !parseNetwork(line));
  if (bad !== undefined) throw fail('TOKEN_IPS', { params: { ip: asIs(bad.slice(0, 60)) } });
  if (lines.length > limits.tokenNetworks) throw badParam('allow_ips');
  return lines;
}

type Lists = Pick<TokenFields, 'model_limits' | 'allow_ips'>;

/** Whether anything stands in them. */
export const hasLists = ({ model_limits = [], allow_ips = [] }: Lists): boolean =>
  model_limits.length + allow_ips.length > 0;

/** Both lists of one token. Throws TOKEN_LISTS. */
export function checkLists({ model_limits = [], allow_ips = [] }: Lists): void {
  const bytes = Buffer.byteLength(model_limits.join(',')) + Buffer.byteLength(allow_ips.join(','));
  if (bytes > limits.tokenListsBytes)
    throw fail('TOKEN_LISTS', { params: { kib: kibOf(limits.tokenListsBytes) } });
}

/** As texts tell a size. */
export const kibOf = (bytes: number): number => bytes / 1024;

/** Empty is the owner's own group, whichever that is at the time of a call. Throws TOKEN_GROUP. */
export function checkGroup(options: Pick<Options, 'get'>, owner: Owner, group: string): void {
  if (group !== '' && !usableGroups(options, owner.group).has(group)) {
    throw fail('TOKEN_GROUP', { params: { group: asIs(group) } });
  }
}
