/**
 * Which key gave an answer that its upstream keeps, or a sound. A later call may build upon it, and only that account knows
 * it.
 */

import type { CallersMap } from '../../core/callers-keys.ts';
import { limits } from '../../core/limits.ts';
import type { AnswerSize } from '../../dialects/dialect.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, ID_MAX, type KeptKind, keptName, memoryOf, recallAll } from './kept-name.ts';

type Memory = Pick<RelayDeps, 'answers' | 'pieces'>;

/** Where an answer is kept. */
type Kept = { [part in 'channel' | 'key']: Pick<Candidate[part], 'id'> };

/** Never rejects: an answer that cannot be remembered is given all the same. */
export async function rememberAffinity(
  kind: KeptKind,
  caller: Asker,
  { channel, key }: Kept,
  { id, tokens, holds, reader, pictures }: { id: string } & AnswerSize,
  deps: Memory & { log: Pick<RelayDeps['log'], 'warn'> },
): Promise<void> {
  if (id.length > ID_MAX) return;
  try {
    await memoryOf(kind, deps).put(
      keptName(kind, caller, id),
      [channel.id, key.id, tokens ?? '', pictures, holds, reader].join(':'),
      limits.answerAffinitySec,
    );
  } catch (error) {
    deps.log.warn('relay.keep_answer', { error });
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
  deps: Memory,
): Promise<KeptAnswer | null> {
  const kept = id.length > ID_MAX ? null : await memoryOf(kind, deps).get(keptName(kind, caller, id));
  return kept === null ? null : read(kept);
}

/** Those sounds that somebody remembers. */
export const recallSounds = (
  caller: Asker,
  ids: Iterable<string>,
  deps: Memory,
): Promise<CallersMap<KeptAnswer>> =>
  recallAll('sound', caller, ids, { store: memoryOf('sound', deps), read });

function read(kept: string): KeptAnswer {
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
