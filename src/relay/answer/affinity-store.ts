/**
 * Which key gave an answer that its upstream keeps, or a sound. A later call may build upon it, and only that account knows
 * it.
 */

import type { CallersMap } from '../../core/callers-keys.ts';
import type { AnswerSize } from '../../dialects/dialect.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, type KeptKind, keep, type Memory, recall, recallAll } from './kept-name.ts';

/** In no name of a model. */
const MORE = '\n';

/** Where an answer is kept. */
type Kept = { [part in 'channel' | 'key']: Pick<Candidate[part], 'id'> };

/** Never rejects: an answer that cannot be remembered is given all the same. */
export async function rememberAffinity(
  kind: KeptKind,
  caller: Asker,
  { channel, key }: Kept,
  { id, tokens, least, thought, holds, reader, pictures }: { id: string } & AnswerSize,
  deps: Memory & { log: Pick<RelayDeps['log'], 'warn'> },
): Promise<void> {
  // To a process that does not know the last part yet it is of a reader who reads like nobody.
  const more = thought === undefined ? '' : `${MORE}${least ?? 0},${thought}`;
  const kept = [channel.id, key.id, tokens ?? '', pictures, holds, reader + more].join(':');
  try {
    await keep(kind, caller, [id, kept], deps);
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
export const recallAffinity = (
  kind: KeptKind,
  caller: Asker,
  id: string,
  memory: Memory,
): Promise<KeptAnswer | null> => recall(kind, caller, id, { memory, read });

/** Those sounds that somebody remembers. */
export const recallSounds = (
  caller: Asker,
  ids: Iterable<string>,
  memory: Memory,
): Promise<CallersMap<KeptAnswer>> => recallAll('sound', caller, ids, { memory, read });

function read(kept: string): KeptAnswer {
  // What was written before readers were noted has none, who reads like nobody; a name may hold what stands between.
  const [known = '', more] = kept.split(MORE);
  const [channelId = '', keyId = '', tokens = '', pictures = '', holds, ...reader] = known.split(':');
  const [least, thought] = more?.split(',').map(Number) ?? [];
  return {
    channelId: Number(channelId),
    keyId: Number(keyId),
    tokens: tokens === '' ? null : Number(tokens),
    ...(least && { least }),
    ...(thought !== undefined && { thought }),
    pictures: Number(pictures),
    holds: holds === 'text' || holds === 'media' ? holds : 'any',
    reader: reader.join(':'),
  };
}
