/** The containers in which an answer ran: what is due for them, and what is remembered of them. */
import { type KeptContainer, mayBeActive, sessionsDue } from '../../core/container-session.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import { type ContainerTerms, containerName, type PaidTool, type PaidTools } from '../../core/paid-tools.ts';
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

/** Looked up when it is charged, since another answer may have paid by then. Never rejects. */
export async function containersRan(
  { caller }: Call,
  { paid, candidate }: Answer,
  shown: readonly RanIn[],
  deps: Deps,
): Promise<Ran[]> {
  // Counted as a use of the tool that ran in it first.
  const once = new Map(shown.toReversed().map((each) => [each.id, each]));
  const ran = [...once.values()]
    .slice(0, limits.containersOfAnswer)
    .map(async ({ id, tool }): Promise<Ran> => {
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
  const { kind, gigabytes, isSure, sessionSec, atSec = 0 } = container;
  const untilSec = nowSec();
  const { due, paidSec } = sessionSec
    ? sessionsDue(known?.paidSec ?? null, { fromSec: atSec, untilSec, sessionSec })
    : { due: 1, paidSec: atSec };
  const times = { paidSec, usedSec: atSec, lastSec: untilSec };
  if (!known) {
    return isSure
      ? { due, kept: { channelId: channel.id, keyId: key.id, kind, gigabytes, ...times } }
      : { due };
  }
  const usedSec = isDone ? Math.max(known.usedSec, atSec) : known.usedSec;
  return { due, kept: { ...known, ...times, usedSec } };
}

/**
 * Uses and tools as they are charged where these containers were seen: each by the size that it has, or by the largest that
 * it may have, and beside them the one that was made, where it is none of them.
 */
export function asRan(
  uses: ToolUses,
  paid: PaidTools,
  ran: readonly Ran[] | undefined,
): { uses: ToolUses; paid: PaidTools } {
  if (!ran) return { uses, paid };
  const charged: Record<string, number> = { ...uses };
  const tools = paid.tools.map((tool): PaidTool => {
    const { container, always, ...asked } = tool;
    const [largest] = asked.as;
    if (!container || largest === undefined) return tool;
    const { kind, makes, isSure } = container;
    const its = ran.filter((each) => each.tool === kind);
    const nameOf = ({ kept }: Ran) => (kept ? containerName(kind, kept.gigabytes) : largest);
    const made = containerName(kind, makes ?? container.gigabytes);
    let unnamed = -its.length;
    for (const name of asked.told ?? []) {
      unnamed += own(charged, name) ?? 0;
      delete charged[name];
    }
    const add = (name: string, count: number) => {
      if (count > 0) charged[name] = (own(charged, name) ?? 0) + count;
    };
    add(largest, unnamed);
    for (const each of its) add(nameOf(each), each.due);
    // It is the one that is shown where no other is named.
    const isShown = unnamed > 0 || its.some(({ kept }) => isSure || !kept);
    if (always && !isShown) add(made, 1);
    return { ...asked, container, as: [largest, made, ...its.map(nameOf)] };
  });
  return { uses: charged, paid: { ...paid, tools } };
}

/**
 * For their caller alone, and with the account that has them; by the answer those in which whoever builds upon it may go on.
 * Whether he does nobody knows of what was left out of its context, or summed up. Never rejects.
 */
export async function rememberContainers(
  { request: { facts }, caller }: Call,
  { edits }: Answer,
  { id: answerId, ran }: { id: string | undefined; ran: readonly Ran[] },
  deps: Deps,
): Promise<void> {
  const now = nowSec();
  const isWhole = !facts.leavesOut && edits.sumsUpFrom === undefined;
  const before = (facts.knownContainers ?? []).flatMap(({ id, role, kept }) =>
    (role === 'read' || role === 'perhaps-read') && mayBeActive(kept, now)
      ? [{ id, isRead: isWhole && role === 'read' }]
      : [],
  );
  const here = ran.flatMap(({ id, isDone, kept }) => (kept ? [{ id, isRead: isDone }] : []));
  const context = new Map<string, boolean>();
  for (const { id, isRead } of [...here, ...before]) context.set(id, isRead || context.get(id) === true);
  const kept = Array.from(context, ([id, isRead]) => ({ id, isRead }));
  await Promise.all([
    ...ran.map((each) => each.kept && rememberContainer(caller, each.id, each.kept, deps)),
    answerId && rememberContext(caller, answerId, kept, deps),
  ]);
}
