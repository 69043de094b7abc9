/**
 * By what later calls name that of earlier answers which their upstream keeps. They are the user's who asked, or his
 * application's: nobody else builds upon them, and no other application.
 */
import { CallersMap, callersSet } from '../../core/callers-keys.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { OneTimeStore } from '../../platform/one-time.ts';
import type { AnswerParts } from './parts.ts';

export type Asker = Pick<Caller, 'userId' | 'appId'>;

/**
 * What has a name of its own: an answer and what ran in its context, one that goes on, its sound, its items, a piece of what
 * it thought and its seal, a container, and one of Anthropic's.
 */
export type KeptKind =
  | 'answer'
  | 'context'
  | 'continued'
  | 'sound'
  | 'item'
  | 'thought'
  | 'seal'
  | 'container'
  | 'claude-container';

/** Longer ones are no upstream's. */
export const ID_MAX = 256;

export const keptName = (kind: KeptKind, { userId, appId }: Asker, id: string): string =>
  `${kind}:${userId}:${appId ?? 0}:${id}`;

/** Where names of this kind are remembered. The memory is shared by all processes where Redis is set; else each has its own. */
export const memoryOf = (
  kind: KeptKind,
  { answers, pieces }: Pick<AnswerParts, 'answers' | 'pieces'>,
): OneTimeStore => (kind === 'answer' ? answers : pieces);

/** What is remembered by these ids, as far as it can be read, in one command. */
export async function recallAll<What>(
  kind: KeptKind,
  caller: Asker,
  ids: Iterable<string>,
  { store, read }: { store: OneTimeStore; read: (kept: string) => What | null },
): Promise<CallersMap<What>> {
  const known = new CallersMap<What>();
  const names = [...callersSet(ids)].filter(({ length }) => length <= ID_MAX);
  if (names.length === 0) return known;
  const found = await store.getAll(names.map((id) => keptName(kind, caller, id)));
  for (const [at, id] of names.entries()) {
    const kept = found[at] ?? null;
    const what = kept === null ? null : read(kept);
    if (what !== null) known.set(id, what);
  }
  return known;
}
