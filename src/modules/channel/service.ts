/** Channels as operators keep them: made, changed and removed together with their keys and their index. */
import { eq, sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { hasRole } from '../../core/roles.ts';
import type { Tx } from '../../db/client.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import { type Actor, recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { rebuildAbilities } from './abilities.ts';
import { checkAddress } from './address.ts';
import type { ChannelBody, ChannelRow, CreateBody } from './contract.ts';
import {
  type ChannelFields,
  checkAddressNeeded,
  checkRegion,
  INDEXED,
  otherOr,
  readFields,
} from './fields.ts';
import { channelBack, keyBack } from './health.ts';
import { keyRows, replaceKeys, splitKeys } from './keys.ts';
import { CHANNEL_STATUS } from './model.ts';
import { channelRow, shownColumns } from './rows.ts';
import { keptSetting } from './setting.ts';

export type ChannelDeps = Pick<Deps, 'db' | 'changes' | 'secrets'> & {
  env: Pick<Deps['env'], 'PRIVATE_EGRESS'>;
};

type Row = typeof channels.$inferSelect;

/** Root may point a channel at a private address; what an admin writes must be public. */
const mayUsePrivate = (actor: Actor): boolean => hasRole(actor.role, 'root');

/** Throws NOT_FOUND. */
export async function getChannel({ db }: Pick<ChannelDeps, 'db'>, id: number): Promise<ChannelRow> {
  const [row] = await db.orm.select(shownColumns).from(channels).where(eq(channels.id, id));
  if (!row) throw fail('NOT_FOUND');
  return channelRow(row);
}

/**
 * Makes one channel, or one a line of keys (`multi_key_mode` split, the default), and answers their ids in order.
 * Throws CHANNEL_FIELDS, CHANNEL_MODELS and what the fields' own rules refuse.
 */
export async function createChannels(deps: ChannelDeps, actor: Actor, body: CreateBody): Promise<number[]> {
  const fields = readFields(body);
  const { name, type, models, base_url = '' } = fields;
  if (!name || !body.key?.trim()) throw fail('CHANNEL_FIELDS');
  if (type === undefined) throw fail('CHANNEL_TYPE');
  if (!models) throw fail('CHANNEL_MODELS');
  const privateAllowed = mayUsePrivate(actor);
  checkAddress(base_url, { privateAllowed, env: deps.env });
  checkAddressNeeded(type, base_url);
  const keys = splitKeys(type, body.key);
  checkRegion(type, fields.other ?? '', keys);
  const keysOfEach = (body.multi_key_mode ?? 'split') === 'split' ? keys.map((key) => [key]) : [keys];

  return deps.changes.commit(async (tx, touch) => {
    const other = otherOr(type, fields.other ?? '');
    const values = {
      ...fields,
      name,
      type,
      models,
      other,
      private_allowed: privateAllowed && base_url !== '',
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
      detail: { ids, name, type, base_url },
    });
    return ids;
  });
}

/**
 * Changes what the body names and nothing else, and answers the channel. Throws NOT_FOUND, CHANNEL_KEY_AGAIN (a new
 * address or proxy would get the old key) and what the fields' own rules refuse.
 */
export async function updateChannel(
  deps: ChannelDeps,
  actor: Actor,
  body: ChannelBody & { id: number },
): Promise<ChannelRow> {
  const { id } = body;
  const given = readFields(body);
  return deps.changes.commit(async (tx, touch) => {
    const row = await lockChannel(tx, id);
    const changed = changedFields(row, given);
    const keys = body.key?.trim() ? splitKeys(changed.type ?? row.type, body.key) : null;
    if (changed.base_url !== undefined) {
      if (!keys) throw fail('CHANNEL_KEY_AGAIN');
      checkAddress(changed.base_url, { privateAllowed: mayUsePrivate(actor), env: deps.env });
    }
    checkAddressNeeded(changed.type ?? row.type, changed.base_url ?? row.base_url);
    checkRegion(changed.type ?? row.type, changed.other ?? row.other, keys ?? []);
    checkProxy(row, changed, { privateAllowed: mayUsePrivate(actor), isKeyNew: keys !== null });
    const names = Object.keys(changed);
    if (names.length > 0) {
      await writeFields(tx, id, changed, mayUsePrivate(actor));
      if (names.some((name) => INDEXED.has(name))) await rebuildAbilities(tx, [id]);
    }
    if (keys) await replaceKeys(tx, deps.secrets, id, keys);
    if (names.length > 0 || keys) {
      touch('channels', id);
      await recordAction(tx, {
        actor,
        action: 'channel.update',
        target: `channel:${id}`,
        detail: { changed: keys ? [...names, 'key'] : names },
      });
    }
    return readRow(tx, id);
  });
}

/**
 * A proxy reads what goes to a plain http address, the key among it; and to a private channel's proxy calls go without
 * their address being judged. Throws CHANNEL_KEY_AGAIN, CHANNEL_ADDRESS.
 */
function checkProxy(
  row: Row,
  { setting, base_url = row.base_url }: ChannelFields,
  { privateAllowed, isKeyNew }: { privateAllowed: boolean; isKeyNew: boolean },
): void {
  const isNew = Boolean(setting?.proxy) && setting?.proxy !== row.setting.proxy;
  if (!isNew) return;
  if (row.private_allowed && base_url === row.base_url && !privateAllowed) {
    throw fail('CHANNEL_ADDRESS', {
      params: {
        reason: {
          zh: '内网渠道的代理只能由超级管理员设置',
          en: 'only root may set the proxy of a private channel',
        },
      },
    });
  }
  if (/^http:/i.test(base_url) && !isKeyNew) throw fail('CHANNEL_KEY_AGAIN');
}

/** Removes the channel with its keys and index rows. Throws NOT_FOUND. */
export async function removeChannel(deps: ChannelDeps, actor: Actor, id: number): Promise<void> {
  await deps.changes.commit(async (tx, touch) => {
    const [row] = await tx.delete(channels).where(eq(channels.id, id)).returning({ name: channels.name });
    if (!row) throw fail('NOT_FOUND');
    touch('channels', id);
    await recordAction(tx, {
      actor,
      action: 'channel.delete',
      target: `channel:${id}`,
      detail: { name: row.name },
    });
  });
}

async function lockChannel(tx: Tx, id: number): Promise<Row> {
  const [row] = await tx.select().from(channels).where(eq(channels.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  return row;
}

async function readRow(tx: Tx, id: number): Promise<ChannelRow> {
  const [row] = await tx.select(shownColumns).from(channels).where(eq(channels.id, id));
  if (!row) throw fail('NOT_FOUND');
  return channelRow(row);
}

/** The given fields that differ from the row. */
function changedFields(row: Row, given: ChannelFields): ChannelFields {
  const fields: ChannelFields = {
    ...given,
    ...(given.setting && { setting: keptSetting(given.setting, row.setting) }),
    ...(given.other === '' && { other: otherOr(given.type ?? row.type, '') }),
  };
  const held: Record<string, unknown> = { ...row };
  const differs = ([name, value]: [string, unknown]) => !Bun.deepEquals(value, held[name]);
  // Only the gateway disables a channel by itself; a row that comes back with that status says nothing.
  const isEcho = ([name, value]: [string, unknown]) =>
    name === 'status' && value === CHANNEL_STATUS.autoDisabled;
  return Object.fromEntries(Object.entries(fields).filter((entry) => differs(entry) && !isEcho(entry)));
}

async function writeFields(
  tx: Tx,
  id: number,
  changed: ChannelFields,
  privateAllowed: boolean,
): Promise<void> {
  // An operator who enables a channel says that it is well again: its keys get another chance.
  const isBack = changed.status === CHANNEL_STATUS.enabled;
  if (isBack) await tx.update(channelKeys).set(keyBack).where(eq(channelKeys.channel_id, id));
  await tx
    .update(channels)
    .set({
      ...changed,
      ...(isBack && channelBack),
      ...(changed.base_url !== undefined && {
        private_allowed: privateAllowed && changed.base_url !== '',
      }),
      updated_at: sql`extract(epoch from now())::bigint`,
    })
    .where(eq(channels.id, id));
}
