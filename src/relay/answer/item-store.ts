/**
 * Which account has the items of earlier answers, and how long those answers were, by the items' ids. Their upstream reads
 * them again wherever a request names such an id; one that was given to nobody who asks is a stranger's.
 */
import { z } from 'zod';
import { CallersMap } from '../../core/callers-keys.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { NamedAnswer, NamedItem } from '../../dialects/dialect.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, ID_MAX, keptName, recallAll } from './kept-name.ts';

type Memory = Pick<RelayDeps, 'pieces'>;

/** What each item says of its answer. */
type OfAnswer = Omit<NamedAnswer, 'at'>;

const OF_ANSWER: z.ZodType<OfAnswer> = z.object({
  id: z.string(),
  keptBy: z.object({ channelId: z.int(), keyId: z.int() }),
  tokens: z.number().nullable(),
  holds: z.literal(['text', 'media', 'any']),
  reader: z.string(),
  pictures: z.number(),
});

/** Never rejects: an answer whose items cannot be remembered is given all the same. */
export async function rememberItems(
  caller: Asker,
  ids: readonly string[],
  answer: OfAnswer,
  { pieces, log }: Memory & { log: Pick<RelayDeps['log'], 'warn'> },
): Promise<void> {
  const named = ids.filter(({ length }) => length <= ID_MAX).slice(0, limits.piecesOfAnswer);
  const kept = JSON.stringify(answer);
  try {
    await Promise.all(
      named.map((id) => pieces.put(keptName('item', caller, id), kept, limits.answerAffinitySec)),
    );
  } catch (error) {
    log.warn('relay.keep_items', { error });
  }
}

/** The answers that have these items, each once and as often as one of its items is named; and where a stranger's is named. */
export async function recallItems(
  caller: Asker,
  items: readonly NamedItem[],
  { pieces }: Memory,
): Promise<{ answers: readonly NamedAnswer[]; stranger: string | undefined }> {
  const ids = items.flatMap(({ id }) => id ?? []);
  const known = await recallAll('item', caller, ids, { store: pieces, read });
  const times = new CallersMap<number>();
  const answers = new Map<string, NamedAnswer>();
  let stranger: string | undefined;
  for (const { id, at } of items) {
    const kept = id === null ? undefined : known.get(id);
    if (id === null || !kept) {
      stranger ??= at;
      continue;
    }
    const time = (times.get(id) ?? 0) + 1;
    times.set(id, time);
    const { channelId, keyId } = kept.keptBy;
    const name = `${channelId}:${keyId}:${kept.id}`;
    const { tokens, at: first } = answers.get(name) ?? { tokens: 0, at };
    const most = kept.tokens === null || tokens === null ? null : Math.max(tokens, time * kept.tokens);
    answers.set(name, { ...kept, tokens: most, at: first });
  }
  return { answers: [...answers.values()], stranger };
}

const read = (kept: string): OfAnswer | null => OF_ANSWER.safeParse(parseJson(kept)).data ?? null;
