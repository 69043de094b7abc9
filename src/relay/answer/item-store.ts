/**
 * Which account has the items of earlier answers, and how long those answers were, by the items' ids. Their upstream reads
 * them again wherever a request names such an id; one that was given to nobody who asks is a stranger's.
 */
import { z } from 'zod';
import { CallersMap, callersSet } from '../../core/callers-keys.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { AnswerItems, NamedAnswer, NamedItem } from '../../dialects/dialect.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, ID_MAX, keep, type Memory, recallAll } from './kept-name.ts';

/** What each item says of its answer. */
export interface OfAnswer extends Omit<NamedAnswer, 'at' | 'ranIn'> {
  /**
   * Which items its request named, whose size its own holds: whoever names the same before it reads them once. Absent where
   * its size is that of what was written alone.
   */
  reads?: string | undefined;
  /** How many items it has: whoever names fewer does not read all of it. */
  items?: number | undefined;
}

const OF_ANSWER: z.ZodType<OfAnswer> = z.object({
  id: z.string(),
  keptBy: z.object({ channelId: z.int(), keyId: z.int() }),
  tokens: z.number().nullable(),
  least: z.number().optional(),
  thought: z.number().optional(),
  holds: z.literal(['text', 'media', 'any']),
  reader: z.string(),
  pictures: z.number(),
  // As it was written before, it says nothing.
  reads: z.string().optional().catch(undefined),
  items: z.number().optional(),
});

/** What an item says of itself: the container in which it ran. */
const OF_ITEM: z.ZodType<{ ranIn?: string | undefined }> = z.object({ ranIn: z.string().optional() });

/** Items as a request names them, so that the same are known again. */
export const listed = (items: readonly NamedItem[]): string =>
  Bun.hash(items.map(({ id }) => id).join('\n')).toString(36);

/** Never rejects: an answer whose items cannot be remembered is given all the same. */
export async function rememberItems(
  caller: Asker,
  { ids, ranIn }: Pick<AnswerItems, 'ids' | 'ranIn'>,
  answer: OfAnswer,
  deps: Memory & { log: Pick<RelayDeps['log'], 'warn'> },
): Promise<void> {
  const named = ids.filter(({ length }) => length <= ID_MAX).slice(0, limits.piecesOfAnswer);
  const of = { ...answer, items: named.length };
  const put = (id: string) =>
    keep('item', caller, [id, JSON.stringify({ ...of, ranIn: ranIn?.get(id) })], deps);
  try {
    await Promise.all(named.map(put));
  } catch (error) {
    deps.log.warn('relay.keep_items', { error });
  }
}

/** The answers that have these items, each once and as often as one of its items is named; and where a stranger's is named. */
export async function recallItems(
  caller: Asker,
  items: readonly NamedItem[],
  memory: Memory,
): Promise<{ answers: readonly NamedAnswer[]; stranger: string | undefined }> {
  const ids = items.flatMap(({ id }) => id ?? []);
  const known = await recallAll('item', caller, ids, { memory, read });
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
    const { ranIn: container, least: _, items: __, ...answer } = kept;
    const { tokens, at: first, ranIn } = answers.get(name) ?? { tokens: 0, at };
    const most = kept.tokens === null || tokens === null ? null : Math.max(tokens, time * kept.tokens);
    const ran = container === undefined ? ranIn : new Map([...(ranIn ?? []), [container, id]]);
    answers.set(name, { ...answer, tokens: most, at: first, ...(ran && { ranIn: ran }) });
  }
  return { answers: countedOnce([...answers.values()], items, known), stranger };
}

/**
 * What the last answer whose size holds others had read of those that stand before it is in that: to count it beside that as
 * well would double with each turn of a talk. Where it is named whole no less is read of it than it says.
 */
function countedOnce(
  answers: readonly NamedAnswer[],
  items: readonly NamedItem[],
  known: CallersMap<OfAnswer>,
): readonly NamedAnswer[] {
  const of = ({ id }: NamedItem) => known.get(id ?? '');
  const last = items.findLast((item) => of(item)?.reads !== undefined);
  const reader = last && of(last);
  if (!reader) return answers;
  const own = items.findIndex((item) => of(item)?.id === reader.id);
  if (reader.reads !== listed(items.slice(0, own))) return answers;
  const since = callersSet(items.slice(own).flatMap((item) => of(item)?.id ?? []));
  const its = callersSet(items.flatMap((item) => (of(item)?.id === reader.id ? (item.id ?? []) : [])));
  const { least } = its.size === reader.items ? reader : {};
  return answers.map((answer) => {
    if (!since.has(answer.id)) return { ...answer, tokens: 0 };
    return answer.id === reader.id ? { ...answer, least } : answer;
  });
}

const KEPT = z.intersection(OF_ANSWER, OF_ITEM);

const read = (kept: string) => KEPT.safeParse(parseJson(kept)).data ?? null;
