/**
 * What administrators did. Every action is a row of `admin_actions`; where a user is concerned he sees it in his own
 * log, as a row of type 3.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import type { AdminActionName, Changes } from '../../core/admin-actions.ts';
import { fail, type Text } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Executor, Tx } from '../../db/client.ts';
import { holdActor } from '../../db/hold-way-in.ts';
import { adminActions } from '../../db/schema/index.ts';
import { textList } from '../../db/statement.ts';
import { writeLog } from '../log/service.ts';

interface Deed {
  action: AdminActionName;
  /** What was acted on, like `user:7` or `option:Price`. */
  target: string;
  /** What became of which field; never a secret. */
  changes?: Changes;
  /** What else there is to tell, under other names than the fields. */
  facts?: JsonObject;
  /** The user whom it concerns, and what his log says of it. */
  concerns?: { userId: number; username: string; group: string; text: Text };
}

export interface AdminAction extends Deed {
  actor: Actor;
}

interface Done extends Deed {
  actor: Pick<Actor, 'id' | 'ip'>;
}

/** Characters kept of one text: an agreement is as long as this. */
const TEXT_MAX = 20_000;
/** Entries kept of one list or object. */
const ENTRIES_MAX = 2_000;

/**
 * Writes the action within the transaction that does it. Throws SESSION_EXPIRED, which undoes that, where who acts has lost
 * his rights or his way in since he was let in: a change may have waited long for its turn.
 */
export async function recordAction(tx: Tx, given: AdminAction): Promise<void> {
  if (!(await holdActor(tx, given.actor))) throw fail('SESSION_EXPIRED');
  await recordDone(tx, given);
}

/** Writes what stays, whoever he is by now who did it: what has been done already, and what no call of his does. */
export async function recordDone(executor: Executor, given: Done): Promise<void> {
  const { actor, action, target, changes, facts, concerns } = given;
  const detail = bounded({ ...facts, ...changes });
  await executor.insert(adminActions).values({ actor_id: actor.id, action, target, detail, ip: actor.ip });
  if (!concerns) return;
  await writeLog(executor, {
    type: 'management',
    user: { id: concerns.userId, username: concerns.username, group: concerns.group },
    text: concerns.text,
    other: { action },
  });
}

function bounded(detail: JsonObject): JsonObject {
  const entries = Object.entries(detail).slice(0, ENTRIES_MAX);
  return Object.fromEntries(entries.map(([name, value]) => [name, boundedValue(value)]));
}

function boundedValue(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return value.slice(0, TEXT_MAX);
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map((each) => boundedValue(each) ?? null);
  return isObject(value) ? bounded(value) : value;
}

/** What a record may still tell of a user who was erased: rights and sums, nothing that says who he was. */
const IMPERSONAL = [
  'role',
  'status',
  'group_name',
  'quota',
  'ref',
  'password',
  'two_factor',
  'cancelled',
  // Both sides of the role and status, as older records hold them.
  'before',
  'after',
];

const ERASED = 'erased';

/** Takes out of the record what says who a user was; that something was done to him, and by him, stays. */
export async function forgetInActions(tx: Tx, userId: number): Promise<void> {
  await tx.execute(sql`
    update admin_actions set detail = coalesce((
      select jsonb_object_agg(key, case
        when key = 'quota' and jsonb_typeof(value) = 'object' then value - 'reason'
        when key = any(${textList(IMPERSONAL)}::text[]) then value
        else to_jsonb(${ERASED}::text) end)
      from jsonb_each(detail)
    ), '{}'::jsonb)
    where target = ${`user:${userId}`}`);
  await tx.execute(sql`update admin_actions set ip = '' where actor_id = ${userId}`);
}

/** Takes the reasons that administrators gave out of the record of what was done to things; `targets` selects their names. */
export async function forgetReasons(tx: Tx, targets: SQL): Promise<void> {
  await tx.execute(sql`
    update admin_actions set detail = detail || jsonb_build_object('reason', ${ERASED}::text)
    where target in (${targets}) and detail->'reason' is not null`);
}
