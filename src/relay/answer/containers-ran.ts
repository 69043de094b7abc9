/** The containers in which an answer ran: what is due for them, and what is remembered of them. */
import { type KeptContainer, mayBeActive, sessionsDue } from '../../core/container-session.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import {
  type ContainerTerms,
  containerName,
  type PaidTool,
  type PaidTools,
  sumOf,
} from '../../core/paid-tools.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import { nowSec } from '../../core/time.ts';
import type { RanIn } from '../../dialects/containers.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { Call } from '../charge/call.ts';
import type { RelayDeps } from '../deps.ts';
import type { Answer } from './answers.ts';
import { recallContainers, rememberContainer, rememberContext } from './container-store.ts';

/** A container in which it ran, and what it is from here on. */
export interface Ran extends RanIn {
  /** Absent where nobody can tell how large it is. */
  kept?: KeptContainer;
  /** Sessions in it that are due. */
  due: number;
}

type Deps = Pick<RelayDeps, 'answers' | 'pieces' | 'log'>;

/** Looked up when it is charged, since another answer may have paid by then. Never rejects. */
export async function containersRan(
  { caller }: Call,
  { paid, candidate }: Answer,
  shown: readonly RanIn[],
  deps: Deps,
): Promise<Ran[]> {
  const ran = onceEach(shown).slice(0, limits.containersOfAnswer);
  const ids = ran.map(({ id }) => id);
  const all = await recallContainers(caller, ids, deps).catch(() => null);
  return ran.map((each): Ran => {
    const terms = paid.tools.find(({ container }) => container?.kind === each.tool)?.container;
    if (!terms) return { ...each, due: 1 };
    const kept = all?.get(each.id);
    const known = kept && isAt(kept, candidate) ? kept : null;
    return { ...each, ...afterwards(each, known, terms, candidate) };
  });
}

/** Each as one in which the tool ran that was first there. */
function onceEach(shown: readonly RanIn[]): RanIn[] {
  const once = new Map<string, RanIn>();
  for (const each of shown) {
    const { id, tool, isDone, doneSec = 0 } = once.get(each.id) ?? each;
    once.set(id, {
      id,
      tool,
      isDone: isDone || each.isDone,
      doneSec: Math.max(doneSec, each.doneSec ?? 0),
    });
  }
  return [...once.values()];
}

const isAt = ({ channelId, keyId }: KeptContainer, { channel, key }: Candidate): boolean =>
  channelId === channel.id && keyId === key.id;

/** What is due for it, and how it is known from here on. */
function afterwards(
  { isDone, doneSec = 0 }: RanIn,
  known: KeptContainer | null,
  { kind, gigabytes, isSure, sessionSec, atSec = 0 }: ContainerTerms,
  { channel, key }: Candidate,
): Pick<Ran, 'kept' | 'due'> {
  const untilSec = nowSec();
  const { due, paidSec } = sessionSec
    ? sessionsDue(known?.paidSec ?? null, { fromSec: atSec, untilSec, sessionSec })
    : { due: 1, paidSec: atSec };
  // What was cut off may not have run at all. What nobody saw come to its end has done so since it went up.
  const usedSec = Math.max(known?.usedSec ?? atSec, isDone ? atSec : 0, doneSec);
  const times = { paidSec, usedSec, lastSec: untilSec };
  if (known) return { due, kept: { ...known, ...times } };
  if (!isSure) return { due };
  return { due, kept: { channelId: channel.id, keyId: key.id, kind, gigabytes, ...times } };
}

/**
 * Uses and tools as they are charged where it was seen in which containers they ran, or that they ran in none: each container
 * by its own size, and beside them the one that was made, where it is none of them.
 */
export function asRan(
  uses: ToolUses,
  paid: PaidTools,
  ran: readonly Ran[] | undefined,
): { uses: ToolUses; paid: PaidTools } {
  if (!ran) return { uses, paid };
  const tools = paid.tools.map((tool) => ({ tool, dues: duesOf(tool, uses, ran) }));
  const told = paid.tools.flatMap(({ container, told = [] }) => (container ? told : []));
  const others = Object.fromEntries(Object.entries(uses).filter(([name]) => !told.includes(name)));
  return {
    uses: tools.flatMap(({ dues }) => dues).reduce(sumOf, others),
    paid: {
      ...paid,
      // That one is always due has been said by now.
      tools: tools.map(({ tool, dues }) =>
        dues.length > 0 ? { ...tool, always: undefined, as: dues.flatMap(Object.keys) } : tool,
      ),
    },
  };
}

/** What is due for the containers of a tool, by the names of their sizes; that of the largest stands first. */
function duesOf(
  { container, as, told = [], always }: PaidTool,
  uses: ToolUses,
  ran: readonly Ran[],
): ToolUses[] {
  if (!container) return [];
  const { kind, gigabytes, makes = gigabytes, isSure } = container;
  const [largest = containerName(kind, gigabytes)] = as;
  const shown = ran.filter(({ tool }) => tool === kind);
  const all = told.reduce((sum, name) => sum + (own(uses, name) ?? 0), 0);
  const unnamed = Math.max(all - shown.length, 0);
  const isMadeShown = unnamed > 0 || shown.some(({ kept }) => isSure || !kept);
  return [
    { [largest]: unnamed },
    { [containerName(kind, makes)]: always && !isMadeShown ? 1 : 0 },
    ...shown.map(({ kept, due }) => ({ [kept ? containerName(kind, kept.gigabytes) : largest]: due })),
  ];
}

/**
 * For their caller alone, and with the account that has them; by the answer those in which whoever builds upon it may go on.
 * Whether he does nobody knows of what was left out of its context, or summed up. Never rejects.
 */
export async function rememberContainers(
  { caller }: Call,
  { standing, summedUpBefore }: Answer,
  { id: answerId, ran }: { id: string | undefined; ran: readonly Ran[] },
  deps: Deps,
): Promise<void> {
  const now = nowSec();
  const before = standing.flatMap(({ id, role, kept }) =>
    (role === 'read' || role === 'perhaps-read') && mayBeActive(kept, now)
      ? [{ id, isRead: role === 'read' }]
      : [],
  );
  // Its own context may have been summed up behind the call.
  const isWhole = Number.isFinite(summedUpBefore);
  const here = ran.flatMap(({ id, isDone, kept }) => (kept ? [{ id, isRead: isDone && isWhole }] : []));
  // Several calls may have run in one, of which one that is sure to be read is enough.
  const context = new Map<string, boolean>();
  for (const { id, isRead } of [...here, ...before]) context.set(id, isRead || context.get(id) === true);
  const all = Array.from(context, ([id, isRead]) => ({ id, isRead }));
  await Promise.all([
    ...ran.map(({ id, kept }) => kept && rememberContainer(caller, id, kept, deps)),
    answerId && rememberContext(caller, answerId, all, deps),
  ]);
}
