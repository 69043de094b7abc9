/** The containers in which an answer ran: what is due for them, and what is remembered of them. */
import { isActive, type KeptContainer, sessionsDue } from '../../core/container-session.ts';
import { own } from '../../core/own.ts';
import type { ContainerTerms, PaidTool, PaidTools } from '../../core/paid-tools.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import { nowSec } from '../../core/time.ts';
import type { RanIn } from '../../dialects/containers.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { Call } from '../charge/call.ts';
import type { RelayDeps } from '../deps.ts';
import type { Answer } from './answers.ts';
import { recallContainer, rememberContainer, rememberContext } from './container-store.ts';

/** A container, and what it is from here on. */
export interface Ran extends RanIn {
  /** Absent where nobody can tell how large it is. */
  kept?: KeptContainer;
  /** As how many uses it is charged. */
  due: number;
}

type Deps = Pick<RelayDeps, 'answers' | 'log'>;

/** No answer makes more. */
const CONTAINERS_MAX = 16;

/** Looked up when it is charged, since another answer may have paid by then. Never rejects. */
export async function containersRan(
  { caller }: Call,
  { paid, candidate }: Answer,
  shown: readonly RanIn[],
  deps: Deps,
): Promise<Ran[]> {
  // Counted as a use of the tool that ran in it first.
  const once = new Map(shown.toReversed().map((each) => [each.id, each]));
  const ran = [...once.values()].slice(0, CONTAINERS_MAX).map(async ({ id, tool }): Promise<Ran> => {
    // What was cut off may not have run at all.
    const isDone = shown.some((each) => each.id === id && each.isDone);
    const container = paid.tools.find((asked) => asked.container?.kind === tool)?.container;
    const before = await recallContainer(caller, id, deps).catch(() => null);
    const known = before && isAt(before, candidate) ? before : null;
    return { id, tool, isDone, ...termsOf(container, { known, isDone }, candidate) };
  });
  return Promise.all(ran);
}

const isAt = ({ channelId, keyId }: KeptContainer, { channel, key }: Candidate): boolean =>
  channelId === channel.id && keyId === key.id;

function termsOf(
  container: ContainerTerms | undefined,
  { known, isDone }: { known: KeptContainer | null; isDone: boolean },
  { channel, key }: Candidate,
): Pick<Ran, 'kept' | 'due'> {
  if (!container) return { due: 1 };
  const { kind, gigabytes, isSure, bySession, atSec = 0 } = container;
  const { due, paidSec } = sessionsDue(known?.paidSec ?? null, atSec, nowSec());
  const charged = { due: bySession ? due : 1 };
  if (!known) {
    const made = { channelId: channel.id, keyId: key.id, kind, gigabytes, paidSec, usedSec: atSec };
    return isSure ? { ...charged, kept: made } : charged;
  }
  const usedSec = isDone ? Math.max(known.usedSec, atSec) : known.usedSec;
  return { ...charged, kept: { ...known, paidSec, usedSec } };
}

/**
 * Uses and tools as they are charged where some ran in these containers. One that is shown is the one that was asked for, where
 * no other is named.
 */
export function asRan(
  uses: ToolUses,
  paid: PaidTools,
  ran: readonly Ran[],
): { uses: ToolUses; paid: PaidTools } {
  if (ran.length === 0) return { uses, paid };
  const left: Record<string, number> = { ...uses };
  for (const { tool, due } of ran) {
    const count = (own(left, tool) ?? 0) - 1 + due;
    if (count > 0) left[tool] = count;
    else delete left[tool];
  }
  const tools = paid.tools.map((tool): PaidTool => {
    const { always, ...others } = tool;
    const isShown = tool.container?.isSure && ran.some((each) => each.tool === tool.container?.kind);
    return isShown ? others : tool;
  });
  return { uses: left, paid: { ...paid, tools } };
}

/**
 * For their caller alone, and with the account that has them; by the answer those that whoever builds upon it goes on in: of
 * what was left out of its context, or summed up, nobody does. Never rejects.
 */
export async function rememberContainers(
  { request: { facts }, caller }: Call,
  { edits }: Answer,
  { id: answerId, ran }: { id: string | undefined; ran: readonly Ran[] },
  deps: Deps,
): Promise<void> {
  const now = nowSec();
  const isWhole = !facts.leavesOut && edits.sumsUpFrom === undefined;
  const before = (isWhole ? (facts.containers ?? []) : []).flatMap(({ id, isCalled, isBefore, kept }) =>
    (isCalled || isBefore) && kept && isActive(kept, now) ? [id] : [],
  );
  const here = ran.flatMap(({ id, isDone, kept }) => (isDone && kept ? [id] : []));
  await Promise.all([
    ...ran.map(({ id, kept }) => kept && rememberContainer(caller, id, kept, deps)),
    answerId && rememberContext(caller, answerId, [...new Set([...here, ...before])], deps),
  ]);
}
