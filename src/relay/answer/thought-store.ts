/**
 * How much earlier answers thought, by the ids of their thoughts. Their upstream keeps them and reads them again wherever a
 * request names such an id, beside which it says nothing.
 */
import { CallersMap, callersSet } from '../../core/callers-keys.ts';
import { limits } from '../../core/limits.ts';
import { completionTokens, type Usage } from '../../core/usage.ts';
import type { AnswerItems, KeptThought } from '../../dialects/dialect.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, ID_MAX, keep, type Memory, recallAll } from './kept-name.ts';

type Noting = Memory & { log: Pick<RelayDeps['log'], 'warn'> };

/** Never rejects, as answers that cannot be remembered are given all the same. */
export async function rememberThoughts(
  caller: Asker,
  { thoughts, areKept }: Pick<AnswerItems, 'thoughts' | 'areKept'>,
  told: Usage | null,
  memory: Noting,
): Promise<void> {
  const named = thoughts.filter(({ length }) => length <= ID_MAX).slice(0, limits.piecesOfAnswer);
  const [group] = named;
  if (group === undefined || (areKept && !told)) return;
  // Upstreams tell all pieces of an answer together, and some not apart from what it says. What nobody keeps is not read
  // again; the words beside such an id stand in the request.
  const tokens = areKept && told ? told.reasoning || completionTokens(told) : 0;
  try {
    // Others may name theirs alike, of which more is known.
    const known = areKept ? undefined : await recallAll('thought', caller, named, { memory, read });
    const unknown = named.filter((id) => !known?.get(id));
    await Promise.all(unknown.map((id) => keep('thought', caller, [id, `${tokens}:${group}`], memory)));
  } catch (error) {
    memory.log.warn('relay.keep_thoughts', { error });
  }
}

/**
 * Tokens of what stands behind these ids: of each answer once, or as often as one of its thoughts is named. Null where one
 * is of a size that nobody remembers, and does not stand in the request as well. Never rejects.
 */
export async function recallThoughts(
  caller: Asker,
  thoughts: readonly KeptThought[],
  memory: Noting,
): Promise<number | null> {
  const ids = callersSet(thoughts.map(({ id }) => id));
  const unsealed = callersSet(thoughts.filter(({ isSealed }) => !isSealed).map(({ id }) => id));
  const times = new CallersMap<number>();
  for (const { id } of thoughts) times.set(id, (times.get(id) ?? 0) + 1);
  // By the first of its ids what an answer thought, of which its upstream told one number.
  const groups = new Map<string, number>();
  try {
    const known = await recallAll('thought', caller, ids, { memory, read });
    for (const id of ids) {
      const kept = known.get(id);
      if (!kept) {
        if (unsealed.has(id)) return null;
        continue;
      }
      const { tokens, group } = kept;
      groups.set(group, Math.max(tokens * (times.get(id) ?? 1), groups.get(group) ?? 0));
    }
  } catch (error) {
    memory.log.warn('relay.recall_thoughts', { error });
    return null;
  }
  return [...groups.values()].reduce((sum, tokens) => sum + tokens, 0);
}

function read(kept: string): { tokens: number; group: string } {
  const [tokens = '', ...group] = kept.split(':');
  return { tokens: Number(tokens), group: group.join(':') };
}
