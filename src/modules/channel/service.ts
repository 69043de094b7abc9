/** Channels as operators keep them: made, changed and removed together with their keys and their index. */

import { eq } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import { changesBetween, SECRET_CHANGED } from '../../core/admin-actions.ts';
import { fail } from '../../core/errors.ts';
import { hasRole } from '../../core/roles.ts';
import type { Locale } from '../../core/text.ts';
import { nowSec } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { now } from '../../db/columns.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import { DEFAULT_GROUP } from '../../options/checks.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { rebuildAbilities } from './abilities.ts';
import {
  type AddressDeps,
  allowedInside,
  calledAddress,
  checkAddress,
  checkNamedInKeys,
  checkReach,
  insideJudge,
  leadsInside,
} from './address.ts';
import type { ChannelRow, CreateBody, UpdateBody } from './contract.ts';
import { DESTINATION_FIELDS, destinationOf, leadingElsewhere, namesNewAddress } from './destination.ts';
import { EXPIRED, whyOff } from './expiry.ts';
import { CHANNEL_STATUS } from './facts.ts';
import {
  type ChannelFields,
  checkAddressNeeded,
  checkGroupsKnown,
  checkRegion,
  INDEXED,
  otherOr,
  readFields,
} from './fields.ts';
import { channelBack, keyBack } from './health.ts';
import { keyHint, keyRows, openKeys, replaceKeys, splitKeys } from './keys.ts';
import { madeAddresses } from './made-addresses.ts';
import { isExpired } from './model.ts';
import { openingMore } from './openings.ts';
import type { ChannelProbe, UpstreamAccess } from './probe.ts';
import { recordedChanges, recordOf } from './record.ts';
import { channelRow, shownColumns } from './rows.ts';
import { checkGivenAgain, checkNoMask, keptSecrets } from './secrets.ts';

export { type ChannelStanding, channelReadiness, channelStanding } from './standing.ts';

// Suppliers of users' own keys stand at addresses by the same rules, and are asked in the same ways.
export {
  type AddressDeps,
  allowedInside,
  type ChannelProbe,
  checkAddress,
  insideJudge,
  keyHint,
  leadsInside,
  madeAddresses,
  splitKeys,
  type UpstreamAccess,
};

export type ChannelDeps = Pick<Deps, 'db' | 'changes' | 'secrets'> & AddressDeps;

type Row = typeof channels.$inferSelect;
type Changed = ChannelFields & { private_allowed?: boolean };

const isRoot = (actor: Actor): boolean => hasRole(actor.role, 'root');

/** Throws CHANNEL_NOT_FOUND. */
export async function getChannel(
  { db }: Pick<ChannelDeps, 'db'>,
  id: number,
  locale: Locale,
): Promise<ChannelRow> {
  const [row] = await db.orm.select(shownColumns).from(channels).where(eq(channels.id, id));
  if (!row) throw fail('CHANNEL_NOT_FOUND');
  return channelRow(row, locale);
}

/**
 * Makes one channel, or one a line of keys (`multi_key_mode` split, the default), and answers their ids in order.
 * Throws CHANNEL_FIELDS, CHANNEL_MODELS and what the fields' own rules refuse.
 */
export async function createChannels(deps: ChannelDeps, actor: Actor, body: CreateBody): Promise<number[]> {
  const fields = readFields(body);
  const { name, type, models, base_url = '' } = fields;
  if (!name || !body.key?.trim()) throw fail('CHANNEL_FIELDS');
  if (type === undefined)
    throw fail('CHANNEL_TYPE', { params: { type: { zh: '未填写', en: 'none is given' } } });
  if (!models) throw fail('CHANNEL_MODELS');
  checkAddress(calledAddress({ type, base_url }), actor, deps);
  checkProxy(undefined, fields, actor, deps);
  checkAddressNeeded(type, base_url);
  checkNoMask(fields);
  const keys = splitKeys(type, body.key);
  checkNamedInKeys({ type, baseUrl: base_url, keys }, deps);
  checkRegion(type, fields.other ?? '', keys);
  const keysOfEach = (body.multi_key_mode ?? 'split') === 'split' ? keys.map((key) => [key]) : [keys];

  checkExpiry(fields);
  checkGroupsKnown(fields.groups, [DEFAULT_GROUP], deps.options);
  const after = { type, base_url, setting: fields.setting };
  const isAllowed = await allowedInside(actor, { before: null, after, isLed: false }, insideJudge(deps));

  return deps.changes.commit(async (tx, touch) => {
    const other = otherOr(type, fields.other ?? '');
    const values = {
      ...fields,
      name,
      type,
      models,
      other,
      ...(isAllowed && { private_allowed: true }),
    };
    const rows = await tx
      .insert(channels)
      .values(keysOfEach.map(() => values))
      .returning({ id: channels.id });
    const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
    await tx
      .insert(channelKeys)
      .values(ids.flatMap((id, at) => keyRows(deps.secrets, id, keysOfEach[at] ?? [])));
    await rebuildAbilities(tx, ids);
    const [only, ...others] = ids;
    const isOne = others.length === 0;
    touch('channels', isOne ? only : undefined);
    await recordAction(tx, {
      actor,
      action: 'channel.create',
      target: isOne ? `channel:${only}` : 'channels',
      changes: changesBetween({}, recordOf(values)),
      facts: { ids, keys: keys.length },
    });
    return ids;
  });
}

/**
 * Changes what the body names and nothing else, and answers the channel. Throws CHANNEL_NOT_FOUND, CHANNEL_KEY_AGAIN
 * (the old key would go elsewhere) and what the fields' own rules refuse.
 */
export async function updateChannel(
  deps: ChannelDeps,
  actor: Actor,
  body: UpdateBody,
  locale: Locale,
): Promise<ChannelRow> {
  const { id } = body;
  const given = readFields(body);
  const leadsInside = insideJudge(deps);
  const allowedAfter = (before: Row, changed: ChannelFields, isLed: boolean) =>
    allowedInside(actor, { before, after: { ...before, ...changed }, isLed, said: body }, leadsInside);
  // Names are looked up before the lock; under it only that of an address which was written meanwhile.
  const judged = [given.type, given.base_url, given.setting, body.private_allowed ?? undefined];
  if (isRoot(actor) && judged.some((each) => each !== undefined)) {
    const [seen] = await deps.db.orm.select().from(channels).where(eq(channels.id, id));
    if (seen) await allowedAfter(seen, changedFields(seen, given), false);
  }
  return deps.changes.commit(async (tx, touch) => {
    const row = await lockChannel(tx, id);
    const changed: Changed = changedFields(row, given);
    checkExpiry(changed);
    checkGroupsKnown(changed.groups, row.groups, deps.options);
    if (isBackInTime(row, changed)) changed.status ??= CHANNEL_STATUS.enabled;
    const after: Row = { ...row, ...changed };
    if (changed.status === CHANNEL_STATUS.enabled && isExpired(after.expired_time, nowSec())) {
      throw fail('CHANNEL_EXPIRED');
    }
    const keys = body.key?.trim() ? splitKeys(after.type, body.key) : null;
    const isLed = await checkDestination(tx, { row, changed, keys, given }, actor, deps);
    // What root let into the network he let to that place, by those calls.
    const isAllowed = await allowedAfter(row, changed, isLed || changed.base_url !== undefined);
    if (isAllowed !== row.private_allowed) changed.private_allowed = isAllowed;
    const names = Object.keys(changed);
    if (names.length > 0) {
      await writeFields(tx, id, changed);
      if (names.some((name) => INDEXED.has(name))) await rebuildAbilities(tx, [id]);
    }
    if (keys) await replaceKeys(tx, deps.secrets, id, keys);
    if (names.length > 0 || keys) {
      touch('channels', id);
      await recordAction(tx, {
        actor,
        action: 'channel.update',
        target: `channel:${id}`,
        changes: {
          ...recordedChanges(row, changed),
          ...(keys && { key: SECRET_CHANGED }),
        },
      });
    }
    return readRow(tx, id, locale);
  });
}

/** Throws CHANNEL_EXPIRY for a time that is over. */
function checkExpiry({ expired_time: at }: ChannelFields): void {
  if (at !== undefined && isExpired(at, nowSec())) throw fail('CHANNEL_EXPIRY');
}

/** Whether the time of a channel that is off for nothing but its expiry is put off. */
const isBackInTime = ({ status, other_info }: Row, { expired_time }: ChannelFields): boolean =>
  status === CHANNEL_STATUS.autoDisabled &&
  whyOff(other_info)?.code === EXPIRED.code &&
  expired_time !== undefined;

interface Move {
  row: Row;
  changed: ChannelFields;
  /** The new ones; null where the old ones stay. */
  keys: readonly string[] | null;
  /** As they were given: what is shown as a secret stands for what is stored. */
  given: ChannelFields;
}

/**
 * What leads a channel's keys elsewhere needs them again, and is judged as the address of him who does it, whoever wrote
 * it first. So does what opens more of the account behind them, unless root does it. Answers whether calls go elsewhere.
 * Throws CHANNEL_KEY_AGAIN, CHANNEL_ADDRESS, CHANNEL_SECRET_AGAIN.
 */
async function checkDestination(
  tx: Tx,
  { row, changed, keys, given }: Move,
  actor: Actor,
  deps: ChannelDeps,
): Promise<boolean> {
  const after: Row = { ...row, ...changed };
  const opened = isRoot(actor) ? null : openingMore(row, after);
  if (!keys && !DESTINATION_FIELDS.some((field) => changed[field] !== undefined)) {
    if (opened) throw fail('CHANNEL_KEY_AGAIN', { params: { what: opened } });
    return false;
  }
  const { type, other, base_url: baseUrl } = after;
  const held = await openKeys(tx, deps.secrets, row.id);
  const [from, to] = await Promise.all([destinationOf(row, held), destinationOf(after, keys ?? held)]);
  const moved = leadingElsewhere(from, to, changed);
  const what = moved ?? opened;
  if (what && !keys) throw fail('CHANNEL_KEY_AGAIN', { params: { what } });
  if (changed.type !== undefined || changed.base_url !== undefined) checkAddressNeeded(type, baseUrl);
  checkRegion(type, other, keys ?? []);
  checkProxy(row, changed, actor, deps);
  checkNoMask(changed);
  if (!isRoot(actor) && namesNewAddress(row, after)) {
    checkGivenAgain(given, { param_override: after.param_override });
  }
  if (!what || !keys) return false;
  if (moved) {
    checkAddress(calledAddress(after), actor, deps);
    checkNamedInKeys({ type, baseUrl, keys }, deps);
  }
  checkGivenAgain(given, after);
  return moved !== null;
}

/**
 * A new proxy stands where an address of its writer's may. To a private channel's, calls go without its name being judged
 * again. Throws CHANNEL_ADDRESS.
 */
function checkProxy(
  row: Row | undefined,
  { setting, base_url }: ChannelFields,
  actor: Actor,
  deps: ChannelDeps,
) {
  const proxy = setting?.proxy;
  if (typeof proxy !== 'string' || proxy === '' || proxy === row?.setting.proxy) return;
  checkReach(new URL(proxy), actor, deps);
  if (!row?.private_allowed || base_url !== undefined || isRoot(actor)) return;
  throw fail('CHANNEL_ADDRESS', {
    params: {
      reason: {
        zh: '内网渠道的代理只能由超级管理员设置',
        en: 'only root may set the proxy of a private channel',
      },
    },
  });
}

/** Removes the channel with its keys and index rows. Throws CHANNEL_NOT_FOUND. */
export async function removeChannel(deps: ChannelDeps, actor: Actor, id: number): Promise<void> {
  await deps.changes.commit(async (tx, touch) => {
    const [row] = await tx.delete(channels).where(eq(channels.id, id)).returning();
    if (!row) throw fail('CHANNEL_NOT_FOUND');
    touch('channels', id);
    await recordAction(tx, {
      actor,
      action: 'channel.delete',
      target: `channel:${id}`,
      changes: changesBetween(recordOf(row), {}),
    });
  });
}

async function lockChannel(tx: Tx, id: number): Promise<Row> {
  const [row] = await tx.select().from(channels).where(eq(channels.id, id)).for('update');
  if (!row) throw fail('CHANNEL_NOT_FOUND');
  return row;
}

async function readRow(tx: Tx, id: number, locale: Locale): Promise<ChannelRow> {
  const [row] = await tx.select(shownColumns).from(channels).where(eq(channels.id, id));
  if (!row) throw fail('CHANNEL_NOT_FOUND');
  return channelRow(row, locale);
}

/** The given fields that differ from the row. */
function changedFields(row: Row, given: ChannelFields): ChannelFields {
  const fields: ChannelFields = {
    ...keptSecrets(given, row),
    ...(given.other === '' && { other: otherOr(given.type ?? row.type, '') }),
  };
  const held: Record<string, unknown> = { ...row };
  const differs = ([name, value]: [string, unknown]) => !Bun.deepEquals(value, held[name]);
  // Only the gateway disables a channel by itself; a row that comes back with that status says nothing.
  const isEcho = ([name, value]: [string, unknown]) =>
    name === 'status' && value === CHANNEL_STATUS.autoDisabled;
  return Object.fromEntries(Object.entries(fields).filter((entry) => differs(entry) && !isEcho(entry)));
}

async function writeFields(tx: Tx, id: number, changed: Changed): Promise<void> {
  // An operator who enables a channel says that it is well again: its keys get another chance.
  const isBack = changed.status === CHANNEL_STATUS.enabled;
  if (isBack) await tx.update(channelKeys).set(keyBack).where(eq(channelKeys.channel_id, id));
  await tx
    .update(channels)
    .set({
      ...changed,
      ...(isBack && channelBack),
      updated_at: now,
    })
    .where(eq(channels.id, id));
}
