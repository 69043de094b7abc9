/**
 * Which account and model have sealed what earlier answers thought, by its seals, and which account keeps it, by its ids. Any
 * other refuses the call that brings it back, with all that it says.
 */
import { callersSet } from '../../core/callers-keys.ts';
import { limits } from '../../core/limits.ts';
import { type KnownSeals, markOn, mayOpen, type OwnMarks } from '../../dialects/sealed-reasoning.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, keep, type Memory, recallAll } from './kept-name.ts';

type Noting = Memory & { log: Pick<RelayDeps['log'], 'warn'> };

/** Never rejects: an answer whose seals cannot be remembered is given all the same. */
export const rememberSeals = (
  caller: Asker,
  seals: readonly string[],
  own: OwnMarks,
  memory: Noting,
): Promise<void> => put(caller, seals, (seal) => markOn(seal, own), memory);

async function put(
  caller: Asker,
  seals: readonly string[],
  markOf: (seal: string) => string,
  memory: Noting,
): Promise<void> {
  const one = (seal: string) => keep('seal', caller, [seal, markOf(seal)], memory);
  try {
    await Promise.all(seals.slice(0, limits.piecesOfAnswer).map(one));
  } catch (error) {
    memory.log.warn('relay.keep_seals', { error });
  }
}

/** The mark of those that nobody is sent any more. No account's is like it. */
const NOBODYS = '?';

/** The mark on each of them; none on what nobody remembers. Never rejects for a memory that is away. */
export async function recallSeals(
  caller: Asker,
  seals: readonly string[],
  memory: Noting,
): Promise<KnownSeals> {
  // Too many alike are refused whether or not the memory is there.
  const once = [...callersSet(seals)];
  try {
    const known = await recallAll('seal', caller, once, { memory, read: (mark) => mark });
    const refused = once.findLastIndex((seal) => known.get(seal) === NOBODYS);
    for (const seal of once.slice(0, refused + 1)) known.set(seal, NOBODYS);
    return {
      get: (seal) => known.get(seal),
      refusedBy(own) {
        const sent = once.filter((seal) => mayOpen(seal, known, own));
        const noted = sent.findLast((seal) => known.get(seal) === undefined) ?? sent.at(-1);
        return put(caller, noted === undefined ? [] : [noted], () => NOBODYS, memory);
      },
    };
  } catch (error) {
    memory.log.warn('relay.recall_seals', { error });
    return UNKNOWN;
  }
}

/** Of a memory that is away: what it has is not written over. */
const UNKNOWN: KnownSeals = { get: () => undefined, refusedBy: async () => undefined };
