/**
 * Which key gave an answer that its upstream keeps. A later call may build upon the answer, and only that account knows
 * it. The memory is shared by all processes where Redis is set; else each process has its own.
 */

import { limits } from '../../core/limits.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { AnswerSize } from '../charge/estimate.ts';
import type { RelayDeps } from '../deps.ts';

/** Answers are the user's who asked, or his application's: nobody else builds upon them, and no other application. */
export type Asker = Pick<Caller, 'userId' | 'appId'>;
export const keptName = (kind: KeptKind, { userId, appId }: Asker, id: string): string =>
  `${kind}:${userId}:${appId ?? 0}:${id}`;

/** What has a name of its own: an answer, the sound of one, or a piece of what it thought. */
export type KeptKind = 'answer' | 'sound' | 'thought';

export const ID_MAX = 256;

/** Where an answer is kept. */
type Kept = { [part in 'channel' | 'key']: Pick<Candidate[part], 'id'> };

/** Never rejects: an answer that cannot be remembered is given all the same. */
export async function rememberAffinity(
  kind: KeptKind,
  caller: Asker,
  { channel, key }: Kept,
  { id, tokens, holds, reader, pictures }: { id: string } & AnswerSize,
  { answers, log }: Pick<RelayDeps, 'answers'> & { log: Pick<RelayDeps['log'], 'warn'> },
): Promise<void> {
  if (id.length > ID_MAX) return;
  try {
    await answers.put(
      keptName(kind, caller, id),
      [channel.id, key.id, tokens ?? '', pictures, holds, reader].join(':'),
      limits.answerAffinitySec,
    );
  } catch (error) {
    log.warn('relay.keep_answer', { error });
  }
}

/** What is known of an answer that its upstream keeps. */
export interface KeptAnswer extends AnswerSize {
  channelId: number;
  keyId: number;
}

/** Null where nobody remembers it. */
export async function recallAffinity(
  kind: KeptKind,
  caller: Asker,
  id: string,
  { answers }: Pick<RelayDeps, 'answers'>,
): Promise<KeptAnswer | null> {
  const kept = id.length > ID_MAX ? null : await answers.get(keptName(kind, caller, id));
  if (kept === null) return null;
  // What was written before readers were noted has none, who reads like nobody; a name may hold what stands between.
  const [channelId = '', keyId = '', tokens = '', pictures = '', holds, ...reader] = kept.split(':');
  return {
    channelId: Number(channelId),
    keyId: Number(keyId),
    tokens: tokens === '' ? null : Number(tokens),
    pictures: Number(pictures),
    holds: holds === 'text' || holds === 'media' ? holds : 'any',
    reader: reader.join(':'),
  };
}
