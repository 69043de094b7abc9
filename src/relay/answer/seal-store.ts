/**
 * Which account and model have sealed what earlier answers thought, by its seals. Any other refuses the call that brings it
 * back, with all that it says.
 */
import { CallersMap, callersSet } from '../../core/callers-keys.ts';
import { limits } from '../../core/limits.ts';
import type { SealedBy } from '../../dialects/sealed-reasoning.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, keptName, recallAll } from './kept-name.ts';

type Memory = Pick<RelayDeps, 'pieces'> & { log: Pick<RelayDeps['log'], 'warn'> };

/** Never rejects: an answer whose seals cannot be remembered is given all the same. */
export async function rememberSeals(
  caller: Asker,
  seals: readonly string[],
  mark: string,
  { pieces, log }: Memory,
): Promise<void> {
  const put = (seal: string) => pieces.put(keptName('seal', caller, seal), mark, limits.answerAffinitySec);
  try {
    await Promise.all(seals.slice(0, limits.piecesOfAnswer).map(put));
  } catch (error) {
    log.warn('relay.keep_seals', { error });
  }
}

/** The mark on each of them; none on what nobody remembers. Never rejects for a memory that is away. */
export async function recallSeals(
  caller: Asker,
  seals: readonly string[],
  { pieces, log }: Memory,
): Promise<SealedBy> {
  // Too many alike are refused whether or not the memory is there.
  const once = callersSet(seals);
  try {
    return await recallAll('seal', caller, once, { store: pieces, read: (mark) => mark });
  } catch (error) {
    log.warn('relay.recall_seals', { error });
    return new CallersMap<string>();
  }
}
