/**
 * Transactions that move quota, as tests kill them: when the cause of a movement is claimed and nothing has moved, while
 * the commit is under way, and when it is made but nobody has been told. Each movement says that it begins, so that one
 * that is added later is killed at the same places.
 */
import { failpoint, failpointSoon } from '../platform/failpoint.ts';
import type { Orm, Tx } from './orm.ts';

const moving = new WeakSet<Tx>();

/** To be called before the statement of a movement. */
export function movementBegins(tx: Tx): void {
  failpoint('movement_claimed');
  moving.add(tx);
}

/** The same, with transactions that die where they are told to. */
export function withFailpoints(orm: Orm): Orm {
  const transaction = orm.transaction.bind(orm);
  orm.transaction = async (work, config) => {
    let moves = false;
    const result = await transaction(async (tx) => {
      const done = await work(tx);
      moves = moving.has(tx);
      if (moves) failpointSoon('in_movement_commit');
      return done;
    }, config);
    if (moves) failpoint('movement_committed');
    return result;
  };
  return orm;
}
