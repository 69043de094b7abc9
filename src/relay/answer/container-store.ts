/**
 * Containers in which answers of a caller ran, by their ids, and which of them stand in the context of an answer, by that
 * one's. Where nobody remembers one it is a stranger's, and paid for anew.
 */
import { z } from 'zod';
import type { CallersMap } from '../../core/callers-keys.ts';
import type { KeptContainer } from '../../core/container-session.ts';
import { parseJson } from '../../core/json.ts';
import { CONTAINER_GIGABYTES } from '../../core/paid-tools.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asker, type KeptKind, keep, type Memory, recall, recallAll } from './kept-name.ts';

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

export const recallContainers = (
  caller: Asker,
  ids: Iterable<string>,
  memory: Memory,
): Promise<CallersMap<KeptContainer>> =>
  recallAll('container', caller, ids, { memory, read: (kept) => readAs(CONTAINER, kept) });

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

/** By the ids of their answers. */
export const recallContexts = (
  caller: Asker,
  answerIds: Iterable<string>,
  memory: Memory,
): Promise<CallersMap<InContext[]>> =>
  recallAll('context', caller, answerIds, { memory, read: (kept) => readAs(CONTEXT, kept) });

type KeptBy = Pick<KeptContainer, 'channelId' | 'keyId'>;

const KEPT_BY: z.ZodType<KeptBy> = z.object({ channelId: z.int(), keyId: z.int() });

/** One of Anthropic's, of which nothing is to be known but who has it. Never rejects. */
export const rememberClaudeContainer = (
  caller: Asker,
  id: string,
  keptBy: KeptBy,
  deps: Noting,
): Promise<void> => remember('claude-container', caller, id, keptBy, deps);

export const recallClaudeContainer = (caller: Asker, id: string, memory: Memory): Promise<KeptBy | null> =>
  recall('claude-container', caller, id, { memory, read: (kept) => readAs(KEPT_BY, kept) });

async function remember(
  kind: KeptKind,
  caller: Asker,
  id: string,
  what: KeptBy | readonly InContext[],
  deps: Noting,
): Promise<void> {
  try {
    await keep(kind, caller, [id, JSON.stringify(what)], deps);
  } catch (error) {
    deps.log.warn('relay.keep_container', { error });
  }
}

/** Null for what cannot be read. */
const readAs = <What>(what: z.ZodType<What>, kept: string): What | null =>
  what.safeParse(parseJson(kept)).data ?? null;
