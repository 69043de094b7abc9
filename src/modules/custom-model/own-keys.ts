/**
 * Users' own keys, opened, for the relay. They stay in memory for a minute at most and are dropped when the user's rows or
 * a supplier change.
 */
import { and, eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { customModels, suppliers } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';
import { callAddress, wireOfSupplier } from '../supplier/service.ts';
import { openKey } from './keys.ts';

/** A key that its user may call with, or why he may not. */
export interface OwnKey {
  /** Row of `custom_models`. */
  readonly id: number;
  readonly userId: number;
  readonly supplier: string;
  /** The channel type whose wire the supplier speaks. */
  readonly type: number;
  /** As channels have it. */
  readonly baseUrl: string;
  readonly privateAllowed: boolean;
  readonly key: string;
  /** What clients are told of, without the supplier's name. */
  readonly models: readonly string[];
  /** The supplier is disabled; its address is another one than the key was given for; it refuses the key. */
  readonly unusable: 'disabled' | 'moved' | 'refused' | null;
}

export interface OwnKeys {
  /** Those of a user, by the names of their suppliers. Rejects when the database is away. */
  of(userId: number): Promise<ReadonlyMap<string, OwnKey>>;
}

type Held = ReadonlyMap<string, OwnKey>;

export function createOwnKeys(deps: Pick<Deps, 'db' | 'changes' | 'secrets' | 'log'>): OwnKeys {
  const held = new LRUCache<number, Promise<Held>>({ max: limits.ownKeyUsers, ttl: limits.ownKeysMs });
  deps.changes.on('custom_models', (userId) => {
    if (userId === undefined) held.clear();
    else held.delete(Number(userId));
  });
  deps.changes.on('suppliers', () => held.clear());
  return {
    of(userId) {
      const known = held.get(userId);
      if (known) return known;
      const loading = load(deps, userId);
      held.set(userId, loading);
      loading.catch(() => {
        if (held.peek(userId) === loading) held.delete(userId);
      });
      return loading;
    },
  };
}

async function load(
  { db, secrets, log }: Pick<Deps, 'db' | 'secrets' | 'log'>,
  userId: number,
): Promise<Held> {
  const rows = await db.orm
    .select({ row: customModels, supplier: suppliers })
    .from(customModels)
    .innerJoin(suppliers, eq(suppliers.id, customModels.supplier_id))
    .where(eq(customModels.user_id, userId));
  const keys = new Map<string, OwnKey>();
  for (const { row, supplier } of rows) {
    try {
      keys.set(supplier.name, {
        id: row.id,
        userId,
        supplier: supplier.name,
        type: wireOfSupplier(supplier),
        baseUrl: await callAddress(supplier),
        privateAllowed: supplier.private_allowed,
        key: openKey(secrets, row),
        models: row.models,
        unusable: whyNot(row, supplier),
      });
    } catch (error) {
      // Sealed under another secret: this one is lost, the others are not.
      log.error('custom_model.key', { id: row.id, error });
    }
  }
  return keys;
}

function whyNot(
  row: typeof customModels.$inferSelect,
  supplier: typeof suppliers.$inferSelect,
): OwnKey['unusable'] {
  if (supplier.disable) return 'disabled';
  if (row.key_base_url !== supplier.base_url) return 'moved';
  return row.refused_at > 0 ? 'refused' : null;
}

/** Notes that the supplier refuses this key for good. One that was given anew meanwhile stays as it is. */
export async function refuseOwnKey(
  { changes, secrets }: Pick<Deps, 'changes' | 'secrets'>,
  { id, userId, key }: Pick<OwnKey, 'id' | 'userId' | 'key'>,
): Promise<void> {
  await changes.commit(async (tx, touch) => {
    const [row] = await tx
      .select()
      .from(customModels)
      .where(and(eq(customModels.id, id), eq(customModels.user_id, userId), eq(customModels.refused_at, 0)))
      .for('update');
    if (!row || openKey(secrets, row) !== key) return;
    await tx.update(customModels).set({ refused_at: nowSec() }).where(eq(customModels.id, id));
    touch('custom_models', userId);
  });
}
