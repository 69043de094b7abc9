/** Users' own keys at suppliers, as each keeps his own and administrators see those of whom they may act on, masked. */

import { and, asc, count, eq, ilike, lte, or, sql } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import { MODEL_NAME_MAX } from '../../core/bounds.ts';
import { callersSet } from '../../core/callers-keys.ts';
import { fail } from '../../core/errors.ts';
import { parseInner } from '../../core/inner-json.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { hasMoreParts, partsMost, splitList } from '../../core/wire/lists.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { isStorable } from '../../core/wire/text.ts';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { containing } from '../../db/like.ts';
import { isOpenTo } from '../../db/open-users.ts';
import { orderBy } from '../../db/order.ts';
import { customModels, suppliers, users } from '../../db/schema/index.ts';
import { constraintOf, isUniqueViolation } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type SupplierRow, wireOfSupplier } from '../supplier/service.ts';
import type { AllQuery, CreateBody, CustomModel, UpdateBody, UserCustomModel } from './contract.ts';
import { readKey, sealedKey } from './keys.ts';

export { createOwnKeys, type OwnKey, type OwnKeys, refuseOwnKey } from './own-keys.ts';

type CustomModelDeps = Pick<Deps, 'db' | 'changes' | 'secrets'>;
export type Row = typeof customModels.$inferSelect;

/** His own, in the order in which he made them. */
export async function listOwn({ db }: Pick<Deps, 'db'>, userId: number): Promise<CustomModel[]> {
  const rows = await db.orm
    .select({ row: customModels, supplier: suppliers })
    .from(customModels)
    .innerJoin(suppliers, eq(suppliers.id, customModels.supplier_id))
    .where(eq(customModels.user_id, userId))
    .orderBy(asc(customModels.id));
  return rows.map(({ row, supplier }) => ownView(row, supplier));
}

/** Whether he has any, of whatever use. */
export async function hasOwn({ db }: Pick<Deps, 'db'>, userId: number): Promise<boolean> {
  const { id, user_id } = customModels;
  const [any] = await db.orm.select({ id }).from(customModels).where(eq(user_id, userId)).limit(1);
  return any !== undefined;
}

const orderColumns = {
  id: customModels.id,
  user: users.username,
  supplier: suppliers.name,
  // Those of which nobody asked for the balance stand last.
  balance: { groups: sql`(${customModels.balance} is null)`, column: customModels.balance },
};

/**
 * His own and those of all whom he may act on, in the order asked for, else newest first, and how many there are: a page of
 * them, or without one as many as are listed at once, and of either no more than one answer may hold.
 */
export async function listAll(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  { keyword = '', sort }: Pick<AllQuery, 'keyword' | 'sort'>,
  paging: Paging | null,
): Promise<{ items: UserCustomModel[]; total: number }> {
  const isFound =
    keyword === ''
      ? undefined
      : or(ilike(users.username, containing(keyword)), ilike(suppliers.name, containing(keyword)));
  const isWanted = and(isOpenTo(actor), isFound);
  const order = orderBy(sort, orderColumns, customModels.id);
  const [counted] = await db.orm
    .select({ total: count() })
    .from(customModels)
    .innerJoin(suppliers, eq(suppliers.id, customModels.supplier_id))
    .innerJoin(users, eq(users.id, customModels.user_id))
    .where(isWanted);
  const place = sql<number>`row_number() over (order by ${sql.join(order, sql`, `)})`.as('place');
  const wanted = db.orm
    .select({
      ...{ id: customModels.id, place },
      bytes:
        sql<number>`octet_length(to_json(${customModels.models})::text) + octet_length(${suppliers.base_url})`.as(
          'bytes',
        ),
    })
    .from(customModels)
    .innerJoin(suppliers, eq(suppliers.id, customModels.supplier_id))
    .innerJoin(users, eq(users.id, customModels.user_id))
    .where(isWanted)
    .orderBy(...order)
    .limit(paging?.limit ?? limits.customModelsListed)
    .offset(paging?.offset ?? 0)
    .as('wanted');
  const first = db.orm
    .select({
      ...{ id: wanted.id, place: wanted.place },
      // Of this one and all before it.
      total: sql<number>`sum(${wanted.bytes}) over (order by ${wanted.place})`.as('total'),
    })
    .from(wanted)
    .as('first');
  const rows = await db.orm
    .select({ row: customModels, supplier: suppliers, username: users.username })
    .from(first)
    .innerJoin(customModels, eq(customModels.id, first.id))
    .innerJoin(suppliers, eq(suppliers.id, customModels.supplier_id))
    .innerJoin(users, eq(users.id, customModels.user_id))
    .where(lte(first.total, limits.customModelsListedBytes))
    .orderBy(asc(first.place));
  const items = rows.map(({ row, supplier, username }) => {
    const { id, name, type, base_url, disable } = supplier;
    return {
      id: row.id,
      user_id: row.user_id,
      username,
      supplier_id: id,
      supplier: { id, name, type, base_url, disable },
      models: JSON.stringify(row.models),
      ...stateOf(row, supplier),
    };
  });
  return { items, total: Math.max(counted?.total ?? 0, items.length) };
}

function ownView(row: Row, supplier: SupplierRow): CustomModel {
  const { id, name, type, base_url, sdk, disable } = supplier;
  return {
    id: row.id,
    supplier_id: id,
    supplier: { id, name, type, base_url, sdk, disable },
    models: row.models,
    ...stateOf(row, supplier),
  };
}

const stateOf = (row: Row, supplier: SupplierRow) => ({
  key: row.key_hint,
  ...(row.balance !== null && { balance: row.balance }),
  balance_at: row.balance_at,
  key_needed: row.key_base_url !== supplier.base_url,
  refused_at: row.refused_at,
});

/**
 * Keeps a key for a supplier, of which a user has one at most. Throws CUSTOM_MODEL_SUPPLIER, CUSTOM_MODEL_KEY,
 * CUSTOM_MODEL_TAKEN, CUSTOM_MODEL_NAMES, CUSTOM_MODEL_MOVED, SUPPLIER_NOT_FOUND, SUPPLIER_DISABLED and what a key may
 * not be.
 */
export async function createOwn(
  deps: CustomModelDeps,
  userId: number,
  body: CreateBody,
): Promise<CustomModel> {
  const { supplier_id, key } = body;
  if (!supplier_id) throw fail('CUSTOM_MODEL_SUPPLIER');
  if (!key?.trim()) throw fail('CUSTOM_MODEL_KEY');
  const models = readModels(body.models ?? []);
  return taken(
    deps.changes.commit(async (tx, touch) => {
      const [supplier] = await tx.select().from(suppliers).where(eq(suppliers.id, supplier_id)).for('share');
      if (!supplier) throw fail('SUPPLIER_NOT_FOUND');
      if (supplier.disable) throw fail('SUPPLIER_DISABLED');
      requireShownAddress(supplier, body);
      const place = { user_id: userId, supplier_id };
      const [row] = await tx
        .insert(customModels)
        .values({ ...place, models, ...newKey(deps, place, supplier, key) })
        .returning();
      if (!row) throw fail('INTERNAL');
      touch('custom_models', userId);
      return ownView(row, supplier);
    }),
  );
}

/**
 * Changes what the body names of his own. Throws CUSTOM_MODEL_NOT_FOUND, CUSTOM_MODEL_NAMES, CUSTOM_MODEL_MOVED and what a
 * key may not be.
 */
export async function updateOwn(
  deps: CustomModelDeps,
  userId: number,
  id: number,
  body: UpdateBody,
): Promise<CustomModel> {
  const models = body.models == null ? undefined : readModels(body.models);
  return deps.changes.commit(async (tx, touch) => {
    const { row, supplier } = await lockOwn(tx, userId, id);
    const given = body.key?.trim() ?? '';
    const isKept = given === '' || given === row.key_hint;
    if (!isKept) requireShownAddress(supplier, body);
    const [after] = await tx
      .update(customModels)
      .set({
        ...(models && { models }),
        // Who saves it says that it is good again.
        refused_at: 0,
        ...(!isKept && newKey(deps, row, supplier, given)),
        updated_at: nowSec(),
      })
      .where(eq(customModels.id, row.id))
      .returning();
    if (!after) throw fail('INTERNAL');
    touch('custom_models', userId);
    return ownView(after, supplier);
  });
}

/** Throws CUSTOM_MODEL_NOT_FOUND. */
export async function removeOwn({ changes }: CustomModelDeps, userId: number, id: number): Promise<void> {
  await changes.commit(async (tx, touch) => {
    const [row] = await tx
      .delete(customModels)
      .where(and(eq(customModels.id, id), eq(customModels.user_id, userId)))
      .returning({ id: customModels.id });
    if (!row) throw fail('CUSTOM_MODEL_NOT_FOUND');
    touch('custom_models', userId);
  });
}

/** Takes away all that a user has, with his account. */
export async function forgetCustomModels(tx: Tx, touch: Touch, userId: number): Promise<void> {
  await tx.delete(customModels).where(eq(customModels.user_id, userId));
  touch('custom_models', userId);
}

/** Locks his row, in which the supplier's address is as it will be when this is committed. */
async function lockOwn(tx: Tx, userId: number, id: number): Promise<{ row: Row; supplier: SupplierRow }> {
  const [row] = await tx
    .select()
    .from(customModels)
    .where(and(eq(customModels.id, id), eq(customModels.user_id, userId)))
    .for('update');
  const [supplier] = row
    ? await tx.select().from(suppliers).where(eq(suppliers.id, row.supplier_id)).for('share')
    : [];
  if (!row || !supplier) throw fail('CUSTOM_MODEL_NOT_FOUND');
  return { row, supplier };
}

/** A key goes where its user saw that it would, whatever was changed while he typed it. Throws CUSTOM_MODEL_MOVED. */
function requireShownAddress(
  { base_url }: SupplierRow,
  shown: { base_url?: string | null | undefined },
): void {
  if (shown.base_url != null && shown.base_url !== base_url) throw fail('CUSTOM_MODEL_MOVED');
}

/** What is known of the key before says nothing of this one. */
const newKey = (
  { secrets }: Pick<Deps, 'secrets'>,
  place: { user_id: number; supplier_id: number },
  supplier: SupplierRow,
  given: string,
) => ({
  ...sealedKey(secrets, place, readKey(wireOfSupplier(supplier), given)),
  key_base_url: supplier.base_url,
  balance: null,
  balance_at: 0,
  refused_at: 0,
});

/** A list, the text of a JSON list, or names with commas between them; each once. Throws CUSTOM_MODEL_NAMES. */
function readModels(given: readonly string[] | string): string[] {
  const { customModelNames: max, customModelNamesBytes: bytes } = limits;
  const refused = () => fail('CUSTOM_MODEL_NAMES', { params: { max, kib: bytes / 1024 } });
  const list = typeof given === 'string' ? listIn(given) : given;
  if (list === null) throw refused();
  const names = [...callersSet(list.map((name) => name.trim()).filter(Boolean))];
  const isGood = names.every(
    (name) => name.length <= MODEL_NAME_MAX && isStorable(name) && !/\p{Cc}/u.test(name),
  );
  if (names.length <= max && isGood && Buffer.byteLength(names.join('')) <= bytes) return names;
  throw refused();
}

/** Null for one of more names than are worth taking apart. */
function listIn(text: string): readonly string[] | null {
  if (hasMoreParts(text, ',', partsMost(limits.customModelNames))) return null;
  const parsed = parseInner(text);
  return Array.isArray(parsed) && parsed.every((name) => typeof name === 'string')
    ? parsed
    : splitList(text, ',');
}

const taken = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    const isTaken = isUniqueViolation(error) && constraintOf(error) === 'custom_models_supplier';
    throw isTaken ? fail('CUSTOM_MODEL_TAKEN') : error;
  });
