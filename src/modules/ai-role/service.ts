/** Roles that companion clients can take: written by administrators, read by clients. Every change is recorded. */
import { eq } from 'drizzle-orm';
import { lengthOf } from '../../core/account-rules.ts';
import type { Actor, LastingActor } from '../../core/actor.ts';
import { eachRow } from '../../core/each-row.ts';
import { fail } from '../../core/errors.ts';
import { parseInner } from '../../core/inner-json.ts';
import { nestsDeeper } from '../../core/json-depth.ts';
import { limits } from '../../core/limits.ts';
import { QUOTA_MAX } from '../../core/price-formula.ts';
import type { Tx } from '../../db/client.ts';
import { orderBy } from '../../db/order.ts';
import { aiRoles } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';
import { recordChange, requireRoom } from '../desk/service.ts';
import type { AiRole, ListQuery, RoleBody } from './contract.ts';
import { AI_ROLE_DEPTH_MAX, AI_ROLE_NAME_MAX } from './facts.ts';

type RoleDeps = Pick<Deps, 'db'>;
type Fields = Omit<AiRole, 'id'>;
type Row = typeof aiRoles.$inferSelect;

const roleOf = (row: Row): AiRole => ({ ...row, type: JSON.parse(row.type) });
const rowOf = (fields: Fields) => ({ ...fields, type: JSON.stringify(fields.type) });

const orderColumns = { id: aiRoles.id, name: aiRoles.role_name };

/** In the order asked for, else newest first. */
export async function listRoles({ db }: RoleDeps, { sort }: ListQuery = {}): Promise<AiRole[]> {
  const rows = await db.orm
    .select()
    .from(aiRoles)
    .orderBy(...orderBy(sort, orderColumns, aiRoles.id));
  return rows.map(roleOf);
}

/** Throws DESK_FULL and what the fields' rules refuse. */
export async function createRole({ db }: RoleDeps, actor: Actor, body: RoleBody): Promise<AiRole> {
  const fields = readFields(body, { role_name: '', role: '', type: 0, quota: 0 });
  return db.orm.transaction(async (tx) => {
    await requireRoom(tx, aiRoles, limits.aiRoles);
    const [row] = await tx.insert(aiRoles).values(rowOf(fields)).returning();
    if (!row) throw fail('INTERNAL');
    const target = targetOf(row.id);
    await recordChange(tx, { actor, action: 'ai_role.create', target, before: {}, after: { ...fields } });
    return roleOf(row);
  });
}

/** Changes what the body names. Throws NOT_FOUND and what the fields' rules refuse. */
export const updateRole = ({ db }: RoleDeps, actor: Actor, id: number, body: RoleBody): Promise<AiRole> =>
  db.orm.transaction(async (tx) => {
    const before = await lockRole(tx, id);
    const after = readFields(body, before);
    const [row] = await tx.update(aiRoles).set(rowOf(after)).where(eq(aiRoles.id, id)).returning();
    if (!row) throw fail('NOT_FOUND');
    await recordChange(tx, {
      actor,
      action: 'ai_role.update',
      target: targetOf(id),
      before: { ...before },
      after: { ...after, id },
    });
    return roleOf(row);
  });

/** Throws NOT_FOUND. */
export const deleteRole = ({ db }: RoleDeps, actor: Actor, id: number): Promise<void> =>
  db.orm.transaction(async (tx) => {
    const [gone] = await tx.delete(aiRoles).where(eq(aiRoles.id, id)).returning();
    if (!gone) throw fail('NOT_FOUND');
    const { id: _, ...before } = roleOf(gone);
    await recordChange(tx, { actor, action: 'ai_role.delete', target: targetOf(id), before, after: {} });
  });

const targetOf = (id: number): string => `ai_role:${id}`;

/** Deletes several; answers how many. Throws BATCH_STOPPED. */
export const deleteRoles = (deps: RoleDeps, actor: LastingActor, ids: readonly number[]): Promise<number> =>
  eachRow(actor, ids, (id) => deleteRole(deps, actor, id));

async function lockRole(tx: Tx, id: number): Promise<AiRole> {
  const [row] = await tx.select().from(aiRoles).where(eq(aiRoles.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  return roleOf(row);
}

/** The fields as they are to be: what the body names, over what is there. */
function readFields(body: RoleBody, old: Fields): Fields {
  const role_name = (body.role_name ?? old.role_name).trim();
  if (role_name === '' || lengthOf(role_name) > AI_ROLE_NAME_MAX) throw fail('AI_ROLE_NAME');
  const role = (body.role ?? old.role).trim();
  if (role === '') throw fail('AI_ROLE_NEEDED');
  if (Buffer.byteLength(role) > limits.aiRoleBytes) throw fail('AI_ROLE_SIZE');
  if (!isRole(role)) throw fail('AI_ROLE_FORMAT');
  const quota = body.quota ?? old.quota;
  if (!Number.isSafeInteger(quota) || quota < 0 || quota > QUOTA_MAX) throw fail('AI_ROLE_QUOTA');
  return { role_name, role, type: body.type ?? old.type, quota };
}

/** Any JSON, as long as its readers can follow it. */
const isRole = (text: string): boolean =>
  !nestsDeeper(text, AI_ROLE_DEPTH_MAX) && parseInner(text) !== undefined;
