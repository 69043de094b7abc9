/**
 * What administrators did. Every action is a row of `admin_actions`; where a user is concerned he sees it in his own
 * log, as a row of type 3.
 */
import type { Text } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Executor } from '../../db/client.ts';
import { adminActions } from '../../db/schema/index.ts';
import { writeLog } from '../log/service.ts';

/** Who acts, and from where. */
export interface Actor {
  id: number;
  role: number;
  ip: string;
}

export interface AdminAction {
  actor: Actor;
  /** Like `user.quota` or `option.set`. */
  action: string;
  /** What was acted on, like `user:7` or `option:Price`. */
  target: string;
  /** Before and after; never a secret. */
  detail?: JsonObject;
  /** The user whom it concerns, and what his log says of it. */
  concerns?: { userId: number; username: string; group: string; text: Text };
}

/** Writes the action within the transaction that does it. */
export async function recordAction(tx: Executor, given: AdminAction): Promise<void> {
  const { actor, action, target, detail = {}, concerns } = given;
  await tx.insert(adminActions).values({ actor_id: actor.id, action, target, detail, ip: actor.ip });
  if (!concerns) return;
  await writeLog(tx, {
    type: 'management',
    user: { id: concerns.userId, username: concerns.username, group: concerns.group },
    text: concerns.text,
    other: { action },
  });
}
