/** Where a task may be submitted: one that goes on from an earlier one stays where that is. */
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { refuse } from '../../dialects/bounds.ts';
import type { TaskDialect } from '../../dialects/plain/task.ts';
import { keyOpener, loadForTasks } from '../../modules/channel/load.ts';
import type { RoutedChannel, RoutedKey, Tier } from '../../modules/channel/model.ts';
import { ownTasks, type TaskRow } from '../../modules/task/service.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted, RelayRequest } from '../request.ts';
import { eligibleTiers } from './eligible.ts';
import { noChannel } from './no-channel.ts';

interface Placed {
  request: RelayRequest;
  tiers: readonly Tier[];
  /** Added to what lists show of it. */
  input: JsonObject;
  /** The window whose place it takes; null for none. */
  window: string | null;
}

/** What is said where no window is open would go up as another task, and its failure be that of the drawing itself. */
export const notOpen = () =>
  refuse('taskId', { zh: '该任务没有打开的窗口', en: 'the task has no open window' });

/** The channels that may take it: of one that goes on from an earlier task, the one that has this. */
export async function placed(
  request: RelayRequest,
  { task }: TaskDialect,
  admitted: Admitted,
  deps: RelayDeps,
): Promise<Placed> {
  const tiers = await eligibleTiers(request, admitted, deps);
  const earlier = task.earlier?.(request.body) ?? null;
  if (!earlier) return { request, tiers, input: {}, window: null };
  const { caller } = admitted;
  const [row] = await ownTasks(deps.db, caller, {
    platform: task.platform,
    ids: [earlier.id],
  });
  // A song of somebody else's stands with the same account.
  const isKnown = earlier.piece === null || task.hasPiece?.(row?.data, earlier.piece) === true;
  if (!row || !isKnown) throw fail('task_not_exist');
  if (earlier.isWindow && row.status !== 'MODAL') throw notOpen();
  if (earlier.isDone && row.status !== 'SUCCESS' && deps.options.get('MjActionCheckSuccessEnabled')) {
    throw fail('task_not_done');
  }
  task.checkEarlier?.(request.body, row.data);
  for (const { priority, channels } of tiers) {
    const channel = channels.find(({ id }) => id === row.channel_id);
    const key = channel && (await keyWith(row, channel, deps));
    if (channel && key) {
      const body = task.withEarlier?.(request.body, row.upstream_id) ?? request.body;
      return {
        request: { ...request, body },
        tiers: [{ priority, channels: [{ ...channel, keys: [key] }] }],
        // What was asked for at first is what it is about, unless the call says something of its own.
        input: row.input.prompt && !task.input(request.body).prompt ? { prompt: row.input.prompt } : {},
        window: earlier.isWindow ? row.public_id : null,
      };
    }
  }
  throw noChannel(caller, request.facts.model);
}

/**
 * The key that has a task, of a channel that may be asked. One that is out of service takes no new work; where it is gone
 * its channel's present one stands for it, which may well be of the same account.
 */
async function keyWith(
  { key_id: keyId, channel_id: channelId }: TaskRow,
  { keys }: RoutedChannel,
  deps: RelayDeps,
): Promise<RoutedKey | undefined> {
  const own = keys.find(({ id }) => id === keyId);
  if (own) return own;
  const now = await loadForTasks(deps.db.orm, { channelId, keyId }, keyOpener(deps));
  return now?.keys.some(({ id }) => id === keyId) ? undefined : keys[0];
}
