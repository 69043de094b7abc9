/**
 * Asks suppliers for models and balances. Users' words never say where: their calls go to registered addresses, through the
 * guarded dialer, few a minute, short ones with small answers.
 */
import { and, eq } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import { AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { MINUTE_SEC, nowSec } from '../../core/time.ts';
import { isOpenTo } from '../../db/open-users.ts';
import { customModels, suppliers, users } from '../../db/schema/index.ts';
import { sameSecret } from '../../platform/secrets.ts';
import { recordAction } from '../audit-log/service.ts';
import type { ChannelProbe, UpstreamAccess } from '../channel/service.ts';
import type { Deps } from '../deps.ts';
import {
  type AskedPlace,
  callAddress,
  placeAt,
  type SupplierRow,
  wireOfSupplier,
} from '../supplier/service.ts';
import type { BalanceBody, ModelsBody } from './contract.ts';
import { openKey, readKey } from './keys.ts';
import type { Row } from './service.ts';

type AskDeps = Pick<Deps, 'db' | 'changes' | 'secrets' | 'limiter' | 'options' | 'env' | 'outgoing'>;

/**
 * Models of the supplier at an address, sorted; without a key, asked with the caller's own for it. Throws
 * CUSTOM_MODEL_SUPPLIER, CUSTOM_MODEL_KEY, SUPPLIER_UNREGISTERED, RATE_LIMIT, CHANNEL_FETCH.
 */
export async function askModels(
  deps: AskDeps,
  probe: ChannelProbe,
  actor: Actor,
  { base_url, key, type }: ModelsBody,
): Promise<string[]> {
  if (!base_url?.trim()) throw fail('CUSTOM_MODEL_SUPPLIER');
  const place = await placeAt(deps, actor, { baseUrl: base_url, type: type ?? undefined });
  const access = await accessTo(place, await keyFor(deps, actor.id, place, key ?? ''));
  await takeTurn(deps, actor.id);
  const names = await probe.listModels(access);
  return [...new Set(names)].sort().slice(0, limits.customModelNames);
}

/** What is left on the account of a key, in US dollars, for administrators. Throws as `askModels` and CHANNEL_BALANCE, SUPPLIER_BALANCE_NONE. */
export async function askBalance(
  deps: AskDeps,
  probe: ChannelProbe,
  actor: Actor,
  { base_url, key, channel_type }: BalanceBody,
): Promise<number> {
  if (!base_url?.trim()) throw fail('CUSTOM_MODEL_SUPPLIER');
  const place = await placeAt(deps, actor, { baseUrl: base_url, type: channel_type ?? undefined });
  const access = await accessTo(place, readKey(wireOfSupplier(place), key ?? ''));
  await takeTurn(deps, actor.id);
  return balanceOf(probe, access);
}

/**
 * What is left behind a configuration, noted in it. `named` is its id, or the key of one of the caller's own;
 * administrators may ask for one of whom they may act on by its id, which is recorded, and told to whose it is. Throws
 * CUSTOM_MODEL_NOT_FOUND, CUSTOM_MODEL_KEY_AGAIN, RATE_LIMIT, SUPPLIER_DISABLED, CHANNEL_BALANCE, SUPPLIER_BALANCE_NONE.
 */
export async function checkOwn(
  deps: AskDeps,
  probe: ChannelProbe,
  actor: Actor,
  named: string,
): Promise<number> {
  const found = await findConfiguration(deps, actor, named.trim());
  if (!found) throw fail('CUSTOM_MODEL_NOT_FOUND');
  const { row, supplier } = found;
  requireUsable(row, supplier);
  await takeTurn(deps, actor.id);
  if (row.user_id !== actor.id) await recordLook(deps, actor, found);
  const balance = await balanceOf(probe, await accessTo(supplier, openKey(deps.secrets, row)));
  await deps.db.orm
    .update(customModels)
    .set({ balance, balance_at: nowSec() })
    // Of a key that was given meanwhile it says nothing.
    .where(and(eq(customModels.id, row.id), eq(customModels.key_sealed, row.key_sealed)));
  return balance;
}

/** Before the look, so that none goes unrecorded, also one that tells only that the key is refused. */
const recordLook = (
  { db }: AskDeps,
  actor: Actor,
  { row, supplier }: { row: Row; supplier: SupplierRow },
): Promise<void> =>
  db.orm.transaction(async (tx) => {
    const [user] = await tx.select().from(users).where(eq(users.id, row.user_id));
    if (!user) throw fail('CUSTOM_MODEL_NOT_FOUND');
    await recordAction(tx, {
      actor,
      action: 'user.supplier_balance',
      target: `user:${user.id}`,
      facts: { supplier: supplier.name, key: row.key_hint },
      concerns: {
        userId: user.id,
        username: user.username,
        group: user.group_name,
        text: {
          zh: `管理员查询了您的密钥在供应商“${supplier.name}”的余额`,
          en: `An administrator asked the supplier “${supplier.name}” for the balance of your key`,
        },
      },
    });
  });

const ID = /^\d{1,15}$/;

async function findConfiguration(
  { db, secrets }: AskDeps,
  actor: Actor,
  named: string,
): Promise<{ row: Row; supplier: SupplierRow } | null> {
  if (named === '') return null;
  const select = () =>
    db.orm
      .select({ row: customModels, supplier: suppliers })
      .from(customModels)
      .innerJoin(suppliers, eq(suppliers.id, customModels.supplier_id))
      .innerJoin(users, eq(users.id, customModels.user_id));
  if (ID.test(named)) {
    const [byId] = await select().where(and(eq(customModels.id, Number(named)), isOpenTo(actor)));
    if (byId) return byId;
  }
  const own = await select().where(eq(customModels.user_id, actor.id));
  return own.find(({ row }) => sameSecret(openKey(secrets, row), named)) ?? null;
}

function requireUsable(row: Row, supplier: SupplierRow): void {
  if (supplier.disable) throw fail('SUPPLIER_DISABLED');
  if (row.key_base_url !== supplier.base_url) throw fail('CUSTOM_MODEL_KEY_AGAIN');
}

/** The key as it is given, or that of the caller's own row for the place. */
async function keyFor(deps: AskDeps, userId: number, place: AskedPlace, given: string): Promise<string> {
  const own = await ownAt(deps, userId, place);
  const isOwn = given.trim() === '' || given.trim() === own?.row.key_hint;
  if (!isOwn) return readKey(wireOfSupplier(place), given);
  if (!own) throw fail('CUSTOM_MODEL_KEY');
  requireUsable(own.row, own.supplier);
  return openKey(deps.secrets, own.row);
}

async function ownAt(
  { db }: AskDeps,
  userId: number,
  { id }: AskedPlace,
): Promise<{ row: Row; supplier: SupplierRow } | null> {
  if (id === null) return null;
  const [own] = await db.orm
    .select({ row: customModels, supplier: suppliers })
    .from(customModels)
    .innerJoin(suppliers, eq(suppliers.id, customModels.supplier_id))
    .where(and(eq(customModels.user_id, userId), eq(customModels.supplier_id, id)));
  return own ?? null;
}

const BOUNDS = { ms: limits.supplierAskMs, bytes: limits.supplierAnswerBytes };

const accessTo = async (
  place: Pick<SupplierRow, 'type' | 'sdk' | 'base_url' | 'private_allowed'>,
  key: string,
): Promise<UpstreamAccess> => ({
  type: wireOfSupplier(place),
  baseUrl: await callAddress(place),
  key,
  other: '',
  organization: '',
  proxy: null,
  privateAllowed: place.private_allowed,
  bounds: BOUNDS,
});

/** Throws RATE_LIMIT. */
async function takeTurn({ limiter }: AskDeps, userId: number): Promise<void> {
  const rule = { key: `supplier-asks:${userId}`, limit: limits.supplierAsksAMinute, windowSec: MINUTE_SEC };
  const { ok, retryAfterSec } = await limiter.take(rule);
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
}

const balanceOf = (probe: ChannelProbe, access: UpstreamAccess): Promise<number> =>
  probe.balance(access).catch((error: unknown) => {
    const isNone = error instanceof AppError && error.code === 'CHANNEL_BALANCE_NONE';
    throw isNone ? fail('SUPPLIER_BALANCE_NONE') : error;
  });
