/**
 * By what later calls name that of earlier answers which their upstream keeps. They are the user's who asked, or his
 * application's: nobody else builds upon them, and no other application.
 */
import { CallersMap, callersSet } from '../../core/callers-keys.ts';
import { limits } from '../../core/limits.ts';
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

/** Longer ones are no upstream's: LiteLLM has some 500 letters, in which it seals who gave an answer. */
export const ID_MAX = 1_024;

const keptName = (kind: KeptKind, { userId, appId }: Asker, id: string): string =>
  `${kind}:${userId}:${appId ?? 0}:${id}`;

/** The memory is shared by all processes where Redis is set; else each has its own. */
export type Memory = Pick<AnswerParts, 'answers' | 'pieces'>;

/** Whoever could push out a container alone would go on in a large one that is taken for new: they are kept with answers. */
const WITH_ANSWERS: ReadonlySet<KeptKind> = new Set(['answer', 'context', 'container', 'claude-container']);

const memoryOf = (kind: KeptKind, { answers, pieces }: Memory): OneTimeStore =>
  WITH_ANSWERS.has(kind) ? answers : pieces;

/** Remembers what this name stands for, on a shelf of its user's: nobody pushes out another's. A longer name than any is not. */
export async function keep(
  kind: KeptKind,
  caller: Asker,
  [id, what]: readonly [id: string, what: string],
  memory: Memory,
): Promise<void> {
  if (id.length > ID_MAX) return;
  const shelf = { key: `${kind}s:${caller.userId}`, limit: limits.keptOfUser, isKnown: true };
  await memoryOf(kind, memory).put(keptName(kind, caller, id), what, limits.answerAffinitySec, [shelf]);
}

/** What is remembered by this id; null where nothing is. */
export const recall = async <What>(
  kind: KeptKind,
  caller: Asker,
  id: string,
  by: { memory: Memory; read: (kept: string) => What | null },
): Promise<What | null> => (await recallAll(kind, caller, [id], by)).get(id) ?? null;

/** What is remembered by these ids, as far as it can be read, in one command. */
export async function recallAll<What>(
  kind: KeptKind,
  caller: Asker,
  ids: Iterable<string>,
  { memory, read }: { memory: Memory; read: (kept: string) => What | null },
): Promise<CallersMap<What>> {
  const known = new CallersMap<What>();
  const names = [...callersSet(ids)].filter(({ length }) => length <= ID_MAX);
  if (names.length === 0) return known;
  const found = await memoryOf(kind, memory).getAll(names.map((id) => keptName(kind, caller, id)));
  for (const [at, id] of names.entries()) {
    const kept = found[at] ?? null;
    const what = kept === null ? null : read(kept);
    if (what !== null) known.set(id, what);
  }
  return known;
}
