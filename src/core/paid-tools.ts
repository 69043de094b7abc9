/**
 * The paid tools of an upstream that a request may set off, how often each can be used, and which of the uses that an
 * answer tells are charged. Each dialect reads its own requests; reservations, streams and charges go by what it found.
 */
import { CallersMap, callersSet } from './callers-keys.ts';
import { type Decimal, decimalOf } from './decimal.ts';
import { limits } from './limits.ts';
import { own } from './own.ts';
import type { ToolUses } from './price-formula.ts';
import { type ReadingTool, type UsualUses, usualOf } from './tool-reading.ts';

/** A tool, or a kind of them, that a request may set off. */
export interface PaidTool {
  /** The names under which it may be charged: the same tool at several prices, of which the answer tells one. */
  as: readonly string[];
  /** Other names under which an answer may tell it; it is charged as what was asked for. */
  told?: readonly string[];
  /** As how many uses one is charged that is asked to do more than a usual one, by those names. */
  times?: Readonly<Record<string, number>>;
  /** The model that does it, where the request names one. */
  by?: string;
  /** The most uses that the request allows; null where it does not say. */
  most: number | null;
  /** Where it does not: whose usual number stands for it, in place of the tool's own name. */
  usual?: string;
  /** An answer tells its uses when they are over: nothing can be held for them as they begin. */
  toldLate?: true;
  /** A limit of all together does not count it. */
  apart?: true;
  /** The model uses it for every answer: where that tells no number so many times, or as often as is held for it. */
  always?: number | 'held';
  /** It runs in containers, each of which is one use. */
  container?: ContainerTerms;
  /** It is paid for by the prompt: all its uses for one answer are one, and so is none where it is always paid for. */
  once?: true;
}

export interface ContainerTerms {
  kind: string;
  /** Of the largest. */
  gigabytes: number;
  /** Of the largest that is made for the request; absent where none is. */
  makes?: number;
  /** Every one that is not known yet is made for the request, and of this size. */
  isSure: boolean;
  /** One is paid for once in a session of so long; absent where it is for each answer. */
  sessionSec?: number;
  /** When it was about to go up. */
  atSec?: number;
}

export interface PaidTools {
  tools: readonly PaidTool[];
  /** The most uses of all of them together; null where the request does not say. */
  together: number | null;
  /** Those whose results are read as prompt, paid for by the use or not; absent where there are none. */
  reads?: readonly ReadingTool[];
  /** Tools go up that run there, known or not, paid for or not. */
  runs?: true;
  /** Code may run there, or a shell. */
  runsCode?: true;
  /** In which words its upstream refuses what is said, where it charges for that. */
  refusals?: RegExp;
}

/** The name under which such a refusal is charged. */
export const REFUSED_CONTENT = 'refused_content';

/**
 * Their names become keys when the answer is charged, where it would be too late to refuse them: whoever reads tools out
 * of a request asks this. Throws `invalid_request`.
 */
export const withNames = (tools: readonly PaidTool[]): readonly PaidTool[] => {
  callersSet(tools.flatMap(({ as }) => as));
  return tools;
};

/** Whether anything runs at the upstream that is charged. */
export const hasTools = ({ tools, reads = [] }: PaidTools): boolean => tools.length + reads.length > 0;

export const NO_TOOLS: PaidTools = { tools: [], together: null };

/**
 * The same at an upstream that keeps to no number of calls: what its caller says of all together means nothing there.
 * Where the answer comes at once, no more can be held as a tool begins, as with those that are told late.
 */
export const withoutCallLimit = ({ tools, reads }: PaidTools, atOnce: boolean): PaidTools => ({
  ...(reads && { reads }),
  tools: atOnce ? tools.map((tool) => (tool.most === null ? { ...tool, toldLate: true } : tool)) : tools,
  together: null,
});

/** US dollars a thousand uses, by tool. */
export type ToolPriceTable = Readonly<Record<string, Decimal>>;

/** The memory of OpenAI's containers, the usual one first. */
export const CONTAINER_GIGABYTES = [1, 4, 16, 64] as const;

/** The name under which a container of so much memory is charged. */
export const containerName = (kind: string, gigabytes: number): string =>
  gigabytes === CONTAINER_GIGABYTES[0] ? kind : `${kind}_${gigabytes}g`;

/**
 * Names that a table may lack, with the one whose price they go by and how many times it. OpenAI's containers cost by
 * the gigabyte, whatever runs in them; nothing that a caller chooses may be dearer than what is charged for it.
 */
export const TOOLS_PRICED_LIKE: Readonly<Record<string, { like: string; times: number }>> = {
  web_search_preview: { like: 'web_search', times: 2.5 },
  web_search_high: { like: 'web_search', times: 1.4 },
  web_search_pro: { like: 'web_search', times: 2.2 },
  google_search_prompt: { like: 'google_search', times: 2.5 },
  google_maps_prompt: { like: 'google_search', times: 1.8 },
  ...Object.fromEntries(
    ['code_interpreter', 'shell'].flatMap((kind) =>
      CONTAINER_GIGABYTES.map((times) => [containerName(kind, times), { like: 'code_interpreter', times }]),
    ),
  ),
};

/** How often a tool is used where the request does not say. */
export const usualUses = ({ as, usual = as[0] ?? '' }: PaidTool, usuals: UsualUses): number =>
  usualOf(usual, usuals);

/** The most uses of one tool that the request allows; null where it does not say. */
const allowedUses = ({ most, apart }: PaidTool, together: number | null): number | null =>
  most ?? (apart ? null : together);

/** The most uses of one tool. */
const mostUses = (tool: PaidTool, together: number | null, usuals: UsualUses): number =>
  Math.min(allowedUses(tool, together) ?? usualUses(tool, usuals), limits.toolUsesMax);

const priceOf = (prices: ToolPriceTable, name: string): Decimal => own(prices, name) ?? ZERO;
const ZERO = decimalOf(0) ?? 0n;

/** The name that costs the most. */
function dearest({ as, times = {} }: PaidTool, prices: ToolPriceTable): string {
  const costOf = (name: string) => priceOf(prices, name) * BigInt(own(times, name) ?? 1);
  return as.reduce((a, b) => (costOf(b) > costOf(a) ? b : a));
}

/** Uses as they are charged, by what each was asked to do; of several tools of a name by the most. */
function weighed(uses: ToolUses, tools: readonly PaidTool[]): ToolUses {
  const most: Record<string, number> = {};
  for (const { times = {} } of tools) {
    for (const [name, count] of Object.entries(times)) most[name] = Math.max(own(most, name) ?? 1, count);
  }
  const weigh = ([name, count]: [string, number]) => [name, count * (own(most, name) ?? 1)];
  return Object.fromEntries(Object.entries(uses).map(weigh));
}

/** The dearest uses that a request can come to: what is held for them covers every other. */
export function dearestUses(
  { tools, together }: PaidTools,
  prices: ToolPriceTable,
  usuals: UsualUses,
): ToolUses {
  const uses: Record<string, number> = {};
  let left = together ?? Number.POSITIVE_INFINITY;
  const named = tools.map((tool) => {
    const { apart = false, always } = tool;
    const count = mostUses(tool, together, usuals);
    // Whatever else is used.
    const sure = typeof always === 'number' ? Math.min(always, count) : 0;
    return { name: dearest(tool, prices), count, sure: apart ? count : sure };
  });
  named.sort((a, b) => Number(priceOf(prices, b.name) - priceOf(prices, a.name)));
  for (const { name, count, sure } of named) {
    const more = Math.min(count - sure, left);
    left -= more;
    const taken = sure + more;
    if (taken > 0) uses[name] = Math.min((own(uses, name) ?? 0) + taken, limits.toolUsesMax);
  }
  return weighed(uses, tools);
}

/** The more of each. */
export function mostOf(a: ToolUses, b: ToolUses): ToolUses {
  const uses: Record<string, number> = { ...a };
  for (const [tool, count] of Object.entries(b)) uses[tool] = Math.max(own(uses, tool) ?? 0, count);
  return uses;
}

export function sumOf(a: ToolUses, b: ToolUses): ToolUses {
  const uses: Record<string, number> = { ...a };
  for (const [tool, count] of Object.entries(b)) uses[tool] = (own(uses, tool) ?? 0) + count;
  return uses;
}

/** The tool of which a use is, by the name that an answer has for it; none where the request cannot set it off. */
type ToolOf = (name: string) => PaidTool | undefined;

function byName(tools: readonly PaidTool[]): ToolOf {
  const asked = firstOf(tools, ({ as }) => as);
  const others = firstOf(tools, ({ told: names = [] }) => names);
  return (name) => asked.get(name) ?? others.get(name);
}

/** Uses by the names under which they are charged; of tools that the request cannot set off none. */
function charged(told: ToolUses, toolOf: ToolOf): ToolUses {
  const uses: Record<string, number> = {};
  for (const [name, count] of Object.entries(told)) {
    const tool = toolOf(name);
    const as = tool?.as.includes(name) ? name : tool?.as[0];
    if (as !== undefined && count > 0) uses[as] = tool?.once ? 1 : (own(uses, as) ?? 0) + count;
  }
  return uses;
}

/** Whether an answer tells uses of what is sold here, and not to this request: by nobody's will they are charged to nobody. */
const tellsUnasked = (told: ToolUses, toolOf: ToolOf, prices: ToolPriceTable): boolean =>
  Object.entries(told).some(
    ([name, count]) =>
      count > 0 && name !== REFUSED_CONTENT && priceOf(prices, name) > 0n && toolOf(name) === undefined,
  );

/** Of each name the first tool that has it. */
function firstOf(
  tools: readonly PaidTool[],
  namesOf: (tool: PaidTool) => readonly string[],
): CallersMap<PaidTool> {
  const first = new CallersMap<PaidTool>();
  for (const tool of tools) {
    for (const name of namesOf(tool)) if (!first.get(name)) first.set(name, tool);
  }
  return first;
}

/**
 * What must be held for a stream that has come to these uses: one more than there were of each tool whose number the
 * request leaves open, because it can begin at any moment. What is told late is over: no more than the usual number is
 * held for it, and what came beyond that is taken from the balance at the end.
 */
export function usesAhead(told: ToolUses, { tools, together }: PaidTools, usuals: UsualUses): ToolUses {
  const so = charged(told, byName(tools));
  const uses: Record<string, number> = {};
  for (const tool of tools) {
    const isOpen = allowedUses(tool, together) === null;
    const most = isOpen && tool.toldLate ? usualUses(tool, usuals) : limits.toolUsesMax;
    for (const name of tool.as) {
      const count = own(so, name) ?? 0;
      if (count > 0) uses[name] = Math.min(count + (isOpen ? 1 : 0), most);
    }
  }
  return weighed(uses, tools);
}

/** An upstream that was told a number may come to a few more; one that was not, to several times the usual. */
const BEYOND_TIMES = 2;
const BEYOND_USES = 5;
const OPEN_TIMES = 10;

/**
 * The uses that are charged: of tools that the request could set off, and no more than is within reason; beyond that
 * the most that it allowed. Where it allowed any number, all that is within reason happened: more was held for it as it
 * began, or the balance pays for what is told late. `suspect` where the upstream told more; `unasked` where it told uses
 * of what is sold and was not asked for, which are charged to nobody.
 */
export function believedUses(
  told: ToolUses,
  { tools, together, refusals }: PaidTools,
  prices: ToolPriceTable,
  usuals: UsualUses,
): { uses: ToolUses; suspect: boolean; unasked: boolean } {
  const uses: Record<string, number> = refusals && told[REFUSED_CONTENT] ? { [REFUSED_CONTENT]: 1 } : {};
  const toolOf = byName(tools);
  let suspect = false;
  const all = charged(told, toolOf);
  for (const { names, tools: asked } of families(tools)) {
    const most = Math.min(
      asked.reduce((sum, tool) => sum + mostUses(tool, together, usuals), 0),
      limits.toolUsesMax,
    );
    const open = asked.filter((tool) => allowedUses(tool, together) === null);
    const bound = open.length > 0 ? OPEN_TIMES * most : BEYOND_TIMES * most + BEYOND_USES;
    let sum = 0;
    for (const name of names) sum += own(all, name) ?? 0;
    suspect ||= sum > bound;
    let left = sum <= bound ? sum : open.length > 0 ? bound : most;
    for (const name of names) {
      const count = Math.min(own(all, name) ?? 0, left);
      left -= count;
      if (count > 0) uses[name] = count;
    }
  }
  const untold: Record<string, number> = {};
  for (const tool of tools) {
    const { as, always, once } = tool;
    const [name] = as;
    const isTold = as.some((each) => own(told, each) !== undefined);
    if (!always || name === undefined || (!once && isTold)) continue;
    const times = always === 'held' ? mostUses(tool, together, usuals) : always;
    untold[name] = Math.max(own(untold, name) ?? 0, Math.min(times, limits.toolUsesMax));
  }
  for (const [name, count] of Object.entries(untold)) uses[name] ??= count;
  return { uses: weighed(uses, tools), suspect, unasked: tellsUnasked(told, toolOf, prices) };
}

/** Tools that are one and the same, by all names of theirs. */
interface Family {
  names: Set<string>;
  tools: PaidTool[];
}

/** What the tools of a request are, in their order. */
function families(tools: readonly PaidTool[]): Iterable<Family> {
  const all = new Set<Family>();
  const byName = new CallersMap<Family>();
  for (const tool of tools) {
    const [first, ...joined] = new Set(tool.as.flatMap((name) => byName.get(name) ?? []));
    const known: Family = first ?? { names: new Set(), tools: [] };
    all.add(known);
    known.tools.push(tool);
    for (const other of joined) {
      all.delete(other);
      known.tools.push(...other.tools);
    }
    for (const name of [...tool.as, ...joined.flatMap(({ names }) => [...names])]) {
      known.names.add(name);
      byName.set(name, known);
    }
  }
  return all;
}
