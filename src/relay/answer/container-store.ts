/**
 * Containers in which answers of a caller ran, by their ids, and which of them stand in the context of an answer, by that
 * one's. Where nobody remembers one it is a stranger's, and paid for anew. They are kept where answers are: whoever could push
 * one out alone would go on in a large one that is taken for new.
 */
import { z } from 'zod';
import type { KeptContainer } from '../../core/container-session.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { CONTAINER_GIGABYTES } from '../../core/paid-tools.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, ID_MAX, type KeptKind, keptName } from './kept-name.ts';

type Memory = Pick<RelayDeps, 'answers'>;
type Noting = Memory & { log: Pick<RelayDeps['log'], 'warn'> };

/** Whose size has no price would cost nothing. */
const CONTAINER: z.ZodType<KeptContainer> = z.object({
  channelId: z.int(),
  keyId: z.int(),
  kind: z.string(),
  gigabytes: z.literal(CONTAINER_GIGABYTES),
  paidSec: z.number(),
  usedSec: z.number(),
  lastSec: z.number(),
});

/** Never rejects: an answer whose container cannot be remembered is given all the same. */
export const rememberContainer = (
  caller: Asker,
  id: string,
  kept: KeptContainer,
  deps: Noting,
): Promise<void> => remember('container', caller, id, kept, deps);

export const recallContainer = (caller: Asker, id: string, deps: Memory): Promise<KeptContainer | null> =>
  recall('container', caller, id, CONTAINER, deps);

/** A container of an answer's context, which may have been left out of that, unless it is sure to be read. */
interface InContext {
  id: string;
  isRead: boolean;
}

const CONTEXT: z.ZodType<InContext[]> = z.array(z.object({ id: z.string(), isRead: z.boolean() }));

/** Never rejects. */
export async function rememberContext(
  caller: Asker,
  answerId: string,
  context: readonly InContext[],
  deps: Noting,
): Promise<void> {
  if (context.length > 0) await remember('context', caller, answerId, context, deps);
}

export const recallContext = async (caller: Asker, answerId: string, deps: Memory): Promise<InContext[]> =>
  (await recall('context', caller, answerId, CONTEXT, deps)) ?? [];

async function remember(
  kind: KeptKind,
  caller: Asker,
  id: string,
  what: KeptContainer | readonly InContext[],
  { answers, log }: Noting,
): Promise<void> {
  if (id.length > ID_MAX) return;
  try {
    await answers.put(keptName(kind, caller, id), JSON.stringify(what), limits.answerAffinitySec);
  } catch (error) {
    log.warn('relay.keep_container', { error });
  }
}

/** Null where nothing is remembered, or nothing that can be read. */
async function recall<What>(
  kind: KeptKind,
  caller: Asker,
  id: string,
  what: z.ZodType<What>,
  { answers }: Memory,
): Promise<What | null> {
  const kept = id.length > ID_MAX ? null : await answers.get(keptName(kind, caller, id));
  return kept === null ? null : (what.safeParse(parseJson(kept)).data ?? null);
}
