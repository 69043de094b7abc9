/**
 * Which key gave an answer that its upstream keeps. A later call may build upon the answer, and only that account knows
 * it. The memory is shared by all processes where Redis is set; else each process has its own.
 */

import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import type { Candidate, Tier } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';

/** Answers are the user's who asked: nobody else builds upon them. */
const nameOf = ({ userId }: Caller, id: string): string => `answer:${userId}:${id}`;

const ID_MAX = 256;

/** Never rejects: an answer that cannot be remembered is given all the same. */
export async function keepAnswer(
  caller: Caller,
  { channel, key }: Candidate,
  id: string,
  { answers, log }: Pick<RelayDeps, 'answers' | 'log'>,
): Promise<void> {
  if (id.length > ID_MAX) return;
  try {
    await answers.put(nameOf(caller, id), `${channel.id}:${key.id}`, limits.keptAnswerSec);
  } catch (error) {
    log.warn('relay.keep_answer', { error });
  }
}

/** The one key, among the channels that may serve the call, which gave the answer. Throws what stands in the way. */
export async function keeperOf(
  caller: Caller,
  { id, model }: { id: string; model: string },
  tiers: readonly Tier[],
  { answers }: Pick<RelayDeps, 'answers'>,
): Promise<readonly Tier[]> {
  const kept = id.length > ID_MAX ? null : await answers.get(nameOf(caller, id));
  if (kept === null) {
    throw fail('previous_response_not_found', {
      field: 'previous_response_id',
      params: { id: asIs(id.slice(0, ID_MAX)) },
    });
  }
  const [channelId, keyId] = kept.split(':').map(Number);
  for (const { priority, channels } of tiers) {
    const channel = channels.find((each) => each.id === channelId);
    const keys = channel?.keys.filter((key) => key.id === keyId) ?? [];
    if (channel && keys.length > 0) return [{ priority, channels: [{ ...channel, keys }] }];
  }
  throw fail('no_available_channel', { params: { group: asIs(caller.group), model: asIs(model) } });
}
