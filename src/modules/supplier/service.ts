/** Suppliers as administrators keep them. Every change is recorded. */

import { and, asc, count, eq } from 'drizzle-orm';
import { lengthOf } from '../../core/account-rules.ts';
import type { Actor, LastingActor } from '../../core/actor.ts';
import { changesBetween } from '../../core/admin-actions.ts';
import { eachRow } from '../../core/each-row.ts';
import { AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { hasRole } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { orderBy } from '../../db/order.ts';
import { customModels, suppliers } from '../../db/schema/index.ts';
import { constraintOf, isUniqueViolation } from '../../db/statement.ts';
import { recordAction } from '../audit-log/service.ts';
import { cleanAddress } from '../channel/facts.ts';
import {
  type AddressDeps,
  allowedInside,
  checkAddress,
  insideJudge,
  leadsInside,
} from '../channel/service.ts';
import type { Deps } from '../deps.ts';
import type { ListQuery, Supplier, SupplierBody, SupplierItem } from './contract.ts';
import {
  MODEL_SEPARATOR,
  SUPPLIER_NAME_MAX,
  SUPPLIER_SDKS,
  SUPPLIER_TYPE,
  type SupplierAction,
} from './facts.ts';
import { callAddress, isSupplierType, supplierTypes, wireOfSupplier } from './wire.ts';

export { callAddress, supplierTypes, wireOfSupplier };

export type SupplierDeps = Pick<Deps, 'db' | 'changes'> & AddressDeps;
export type SupplierRow = typeof suppliers.$inferSelect;

/** Those that users may choose, by name. */
export const openSuppliers = ({ db }: Pick<Deps, 'db'>): Promise<Supplier[]> =>
  db.orm.select(PUBLIC).from(suppliers).where(eq(suppliers.disable, false)).orderBy(asc(suppliers.name));

const PUBLIC = {
  id: suppliers.id,
  name: suppliers.name,
  base_url: suppliers.base_url,
  type: suppliers.type,
  sdk: suppliers.sdk,
};

const usersOf = count(customModels.id);

const orderColumns = {
  name: suppliers.name,
  type: suppliers.type,
  sdk: suppliers.sdk,
  users: usersOf,
  disable: suppliers.disable,
};

/** All, in the order asked for, else in that in which they were made. */
export async function listSuppliers({ db }: Pick<Deps, 'db'>, { sort }: ListQuery): Promise<SupplierItem[]> {
  const rows = await db.orm
    .select({
      ...PUBLIC,
      disable: suppliers.disable,
      private_allowed: suppliers.private_allowed,
      users: usersOf,
    })
    .from(suppliers)
    .leftJoin(customModels, eq(customModels.supplier_id, suppliers.id))
    .groupBy(suppliers.id)
    .orderBy(...orderBy(sort, orderColumns, suppliers.id, [asc(suppliers.id)]));
  return rows;
}

/** Throws what the fields' rules refuse. */
export async function createSupplier(
  deps: SupplierDeps,
  actor: Actor,
  body: SupplierBody,
): Promise<Supplier> {
  const fields = readFields(deps, actor, {
    name: body.name ?? '',
    base_url: body.base_url ?? '',
    type: body.type ?? SUPPLIER_TYPE,
    sdk: body.sdk ?? SUPPLIER_SDKS[0],
    disable: body.disable ?? false,
  });
  const save = { before: null, after: fields, isLed: false };
  const private_allowed = await insideAfter(actor, save, insideJudge(deps));
  return nameTaken(
    deps.changes.commit(async (tx, touch) => {
      const [row] = await tx
        .insert(suppliers)
        .values({ ...fields, private_allowed })
        .returning();
      if (!row) throw fail('INTERNAL');
      touch('suppliers', row.id);
      const changes = changesBetween({}, told(row));
      await recordAction(tx, { actor, action: 'supplier.create', target: `supplier:${row.id}`, changes });
      return publicOf(row);
    }),
  );
}

/**
 * Changes what the body names. Users' keys stay with the address that they were given for: none goes to another one
 * before its user has given it again. Throws SUPPLIER_NOT_FOUND and what the fields' rules refuse.
 */
export async function updateSupplier(
  deps: SupplierDeps,
  actor: Actor,
  id: number,
  body: SupplierBody,
): Promise<Supplier> {
  const leadsInside = insideJudge(deps);
  const changed = async (row: SupplierRow) => {
    const given = {
      name: body.name ?? row.name,
      base_url: body.base_url ?? row.base_url,
      type: body.type ?? row.type,
      sdk: body.sdk ?? row.sdk,
      disable: body.disable ?? row.disable,
    };
    const after = readFields(deps, actor, given, row);
    const isLed = after.base_url !== row.base_url || after.type !== row.type || after.sdk !== row.sdk;
    const save = { before: row, after, isLed, said: body };
    return { ...after, private_allowed: await insideAfter(actor, save, leadsInside) };
  };
  // Names are looked up before the lock; under it only that of an address which was written meanwhile.
  if (body.base_url) {
    const [seen] = await deps.db.orm.select().from(suppliers).where(eq(suppliers.id, id));
    if (seen) await changed(seen);
  }
  return nameTaken(
    deps.changes.commit(async (tx, touch) => {
      const row = await lockSupplier(tx, id);
      const fields = await changed(row);
      const changes = changesBetween(told(row), told(fields));
      if (Object.keys(changes).length === 0) return publicOf(row);
      const [after] = await tx
        .update(suppliers)
        .set({ ...fields, updated_at: nowSec() })
        .where(eq(suppliers.id, id))
        .returning();
      if (!after) throw fail('INTERNAL');
      touch('suppliers', id);
      await recordAction(tx, { actor, action: 'supplier.update', target: `supplier:${id}`, changes });
      return publicOf(after);
    }),
  );
}

/** Does the same to several; answers to how many. Throws BATCH_STOPPED. */
export const changeSuppliers = (
  deps: SupplierDeps,
  actor: LastingActor,
  action: SupplierAction,
  ids: readonly number[],
): Promise<number> =>
  eachRow(actor, ids, (id) => updateSupplier(deps, actor, id, { disable: action === 'disable' }));

/** Where a list of models or a balance may be asked for; `id` is null for an address of no supplier. */
export interface AskedPlace extends Pick<SupplierRow, 'base_url' | 'type' | 'sdk' | 'private_allowed'> {
  id: number | null;
}

/**
 * The place at an address. Users are let to those of open suppliers alone; administrators to any that they may give a
 * channel. Throws SUPPLIER_UNREGISTERED, SUPPLIER_TYPE, SUPPLIER_ADDRESS.
 */
export async function placeAt(
  deps: Pick<Deps, 'db'> & AddressDeps,
  actor: Actor,
  { baseUrl, type }: { baseUrl: string; type: number | undefined },
): Promise<AskedPlace> {
  const base_url = cleanAddress(baseUrl);
  const rows = await deps.db.orm
    .select()
    .from(suppliers)
    .where(and(eq(suppliers.base_url, base_url), eq(suppliers.disable, false)))
    .orderBy(asc(suppliers.id));
  const registered = rows.find((row) => row.type === type) ?? rows[0];
  if (registered) return registered;
  if (!hasRole(actor.role, 'admin')) throw fail('SUPPLIER_UNREGISTERED');
  const asked = type ?? SUPPLIER_TYPE;
  if (!isSupplierType(asked)) throw fail('SUPPLIER_TYPE');
  requireAddress(base_url, actor, deps);
  const private_allowed = (await isPrivate(deps, actor, base_url)) === true;
  return { id: null, base_url, type: asked, sdk: SUPPLIER_SDKS[0], private_allowed };
}

async function lockSupplier(tx: Tx, id: number): Promise<SupplierRow> {
  const [row] = await tx.select().from(suppliers).where(eq(suppliers.id, id)).for('update');
  if (!row) throw fail('SUPPLIER_NOT_FOUND');
  return row;
}

const publicOf = ({ id, name, base_url, type, sdk }: SupplierRow): Supplier => ({
  id,
  name,
  base_url,
  type,
  sdk,
});

type Fields = Pick<SupplierRow, 'name' | 'base_url' | 'type' | 'sdk' | 'disable'>;
type Told = Fields & Pick<SupplierRow, 'private_allowed'>;

/** As the record of actions tells a supplier. */
const told = ({ name, base_url, type, sdk, disable, private_allowed }: Told): JsonObject => ({
  name,
  base_url,
  private_allowed,
  type,
  sdk,
  disable,
});

/** What stands unchanged is judged no more: who wrote it was. */
function readFields(deps: AddressDeps, actor: Actor, given: Fields, before?: SupplierRow): Fields {
  const name = given.name.trim();
  const isName = name !== '' && lengthOf(name) <= SUPPLIER_NAME_MAX && !/[/\p{Cc}]/u.test(name);
  if (!isName || name.includes(MODEL_SEPARATOR)) throw fail('SUPPLIER_NAME');
  const { type, sdk, disable } = given;
  if (!isSupplierType(type)) throw fail('SUPPLIER_TYPE');
  if (!SUPPLIER_SDKS.some((one) => one === sdk)) throw fail('SUPPLIER_SDK');
  const base_url = cleanAddress(given.base_url);
  if (base_url === '') throw fail('SUPPLIER_ADDRESS_NEEDED');
  if (base_url !== before?.base_url) requireAddress(base_url, actor, deps);
  return { name, base_url, type, sdk, disable };
}

/** Addresses follow the rules of channels', and are refused in their words. */
const asSuppliers = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'CHANNEL_ADDRESS'
    ? fail('SUPPLIER_ADDRESS', { params: error.detail.params })
    : error;

/** Throws SUPPLIER_ADDRESS, BAD_PARAM. */
const insideAfter: typeof allowedInside = (...save) =>
  allowedInside(...save).catch((error: unknown) => {
    throw asSuppliers(error);
  });

/** Throws SUPPLIER_ADDRESS. */
function requireAddress(address: string, actor: Actor, deps: AddressDeps): void {
  const noPlace = { zh: '不能包含 {model} 或查询参数', en: 'it must not hold {model} or a query' };
  try {
    checkAddress(address, actor, deps);
  } catch (error) {
    throw asSuppliers(error);
  }
  if (/[?{}]/.test(address)) throw fail('SUPPLIER_ADDRESS', { params: { reason: noPlace } });
}

/** Whether only root's own word lets calls go there; null when that cannot be found out now. */
const isPrivate = async (deps: AddressDeps, actor: Actor, address: string): Promise<boolean | null> =>
  hasRole(actor.role, 'root') ? leadsInside(address, deps) : false;

/** Throws SUPPLIER_NAME_TAKEN for a name that another has. */
const nameTaken = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw isUniqueViolation(error) && constraintOf(error) === 'suppliers_name'
      ? fail('SUPPLIER_NAME_TAKEN')
      : error;
  });
