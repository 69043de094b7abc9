/** A call that builds upon an answer goes to the account that keeps it. */
import { fail } from '../../core/errors.ts';
import { asIs } from '../../core/text.ts';
import type { Tier } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { ID_MAX, recallAffinity } from '../answer/affinity-store.ts';
import type { AnswerSize } from '../charge/estimate.ts';
import type { RelayDeps } from '../deps.ts';
import { noChannel } from './no-channel.ts';

/** The one key, among the channels that may serve the call, which gave the answer, and its size. Throws what stands in the way. */
export async function byAnswerAffinity(
  caller: Caller,
  { id, model }: { id: string; model: string },
  tiers: readonly Tier[],
  deps: Pick<RelayDeps, 'answers'>,
): Promise<{ tiers: readonly Tier[]; earlier: AnswerSize }> {
  const kept = await recallAffinity(caller, id, deps);
  if (kept === null) {
    throw fail('previous_response_not_found', {
      field: 'previous_response_id',
      params: { id: asIs(id.slice(0, ID_MAX)) },
    });
  }
  const { channelId, keyId, ...earlier } = kept;
  for (const { priority, channels } of tiers) {
    const channel = channels.find((each) => each.id === channelId);
    const keys = channel?.keys.filter((key) => key.id === keyId) ?? [];
    if (channel && keys.length > 0) {
      return { tiers: [{ priority, channels: [{ ...channel, keys }] }], earlier };
    }
  }
  throw noChannel(caller, model);
}
