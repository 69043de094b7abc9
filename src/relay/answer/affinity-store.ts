/**
 * Which key gave an answer that its upstream keeps. A later call may build upon the answer, and only that account knows
 * it. The memory is shared by all processes where Redis is set; else each process has its own.
 */

import { limits } from '../../core/limits.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';

/** Answers are the user's who asked: nobody else builds upon them. */
const nameOf = ({ userId }: Caller, id: string): string => `answer:${userId}:${id}`;

export const ID_MAX = 256;

/** Never rejects: an answer that cannot be remembered is given all the same. */
export async function rememberAffinity(
  caller: Caller,
  { channel, key }: Candidate,
  { id, tokens }: { id: string; tokens: number | null },
  { answers, log }: Pick<RelayDeps, 'answers' | 'log'>,
): Promise<void> {
  if (id.length > ID_MAX) return;
  try {
    await answers.put(
      nameOf(caller, id),
      `${channel.id}:${key.id}:${tokens ?? ''}`,
      limits.answerAffinitySec,
    );
  } catch (error) {
    log.warn('relay.keep_answer', { error });
  }
}

/** What is known of an answer that its upstream keeps. */
export interface KeptAnswer {
  channelId: number;
  keyId: number;
  /** Of it and of all that it has read, as its upstream told it; null where that is not known. */
  tokens: number | null;
}

/** Null where nobody remembers it. */
export async function recallAffinity(
  caller: Caller,
  id: string,
  { answers }: Pick<RelayDeps, 'answers'>,
): Promise<KeptAnswer | null> {
  const kept = id.length > ID_MAX ? null : await answers.get(nameOf(caller, id));
  if (kept === null) return null;
  const [channelId = '', keyId = '', tokens = ''] = kept.split(':');
  return {
    channelId: Number(channelId),
    keyId: Number(keyId),
    tokens: tokens === '' ? null : Number(tokens),
  };
}
