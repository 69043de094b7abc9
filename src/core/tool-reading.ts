/**
 * What tools that run at the upstream read into the prompt, whether or not a use of them has a price: pages, results of
 * searches, files, answers of servers. The model reads its whole prompt once more after each use, with all that was found
 * so far, and each reading is charged.
 */
import { limits } from './limits.ts';
import { own } from './own.ts';
import type { PromptBound } from './price-bound.ts';

/** A tool that runs at the upstream and whose results are part of the prompt from then on. */
export interface ReadingTool {
  /** Its name in the tables of usual uses and of tokens. */
  name: string;
  /** The most uses that the request allows; null where it does not say. */
  most: number | null;
  /** The most tokens that the request lets one use bring along; null where it does not say. */
  tokens: number | null;
  /** Whose usual number of uses stands for it, in place of its own name. */
  usual?: string;
  /** An answer tells its uses when they are over. */
  toldLate?: true;
  /** A limit of all together does not count it. */
  apart?: true;
  /** Its upstream counts what it brings along once, and the prompt no second time. */
  once?: true;
  /** It brings along what it does, so many times, before anything is used: each reading of the prompt reads it. */
  ahead?: true;
  /** Its vendor tells what it brings along and bills nobody for it: where others read as well, nobody tells it apart. */
  unbilled?: true;
}

/** The tools of a request that read, and the most uses of all tools together, null where it does not say. */
export interface Readers {
  reads?: readonly ReadingTool[];
  together: number | null;
}

/** Those that cost what they read. */
export const readsBilled = ({ reads = [] }: Pick<Readers, 'reads'>): readonly ReadingTool[] =>
  reads.every(({ unbilled }) => unbilled) ? [] : reads;

/** Numbers by the names of tools; `default` for all others. */
export type UsualUses = Readonly<Record<string, number>>;

/** What stands for a request that sets no limit. */
export interface UsualReading {
  /** Uses of a tool. */
  uses: UsualUses;
  /** Tokens that one of them brings along. */
  tokens: UsualUses;
}

/** How much more of the prompt is read for tools than is in the request. */
export interface Reading {
  /** How often all that the request holds is read once more. */
  rounds: number;
  /** Tokens of what was found, in all readings together. */
  tokens: number;
}

export const NO_READING: Reading = { rounds: 0, tokens: 0 };

const USES = 5;
const TOKENS = 3_000;

/**
 * What a server lists as its tools, under the name that answers have for it. No number that an operator has chosen for
 * other tools stands for it: it is as long as whoever runs the server likes, and is read though nothing is used.
 */
export const LISTS = 'mcp_list_tools';
/** All tools of a large server that many use (GitHub's own); most have a tenth of it. */
export const LIST_TOKENS = 50_000;

/** The number of a name where a request does not say one. */
export const usualOf = (name: string, usuals: UsualUses, fallback = USES): number =>
  Math.min(own(usuals, name) ?? own(usuals, 'default') ?? fallback, limits.toolUsesMax);

/** Tokens that one use of this tool brings along where a request does not say. */
export const usualTokens = (name: string, usuals: UsualUses): number =>
  own(usuals, name) ?? (name === LISTS ? LIST_TOKENS : (own(usuals, 'default') ?? TOKENS));

const tokensOf = ({ name, tokens }: ReadingTool, usual: UsualReading): number =>
  tokens ?? usualTokens(name, usual.tokens);

/** So many uses that bring so many tokens each. */
interface Uses {
  count: number;
  tokens: number;
  isOnce: boolean;
  isLate: boolean;
}

/** The dearest uses that a request can come to, those that bring the most first. */
function dearest({ reads, together }: Readers, usual: UsualReading): Uses[] {
  const all = readsBilled({ reads })
    .filter(({ ahead }) => !ahead)
    .map((tool) => ({ tool, tokens: tokensOf(tool, usual) }))
    .sort((a, b) => b.tokens - a.tokens);
  let left = together ?? Number.POSITIVE_INFINITY;
  return all.flatMap(({ tool, tokens }) => {
    const { name, most, apart, once, toldLate } = tool;
    const allowed = most ?? (apart ? null : together) ?? usualOf(tool.usual ?? name, usual.uses);
    const count = Math.min(allowed, apart ? allowed : left, limits.toolUsesMax);
    if (!apart) left -= count;
    return count > 0 ? [{ count, tokens, isOnce: once === true, isLate: toldLate === true }] : [];
  });
}

/** So many readings one after the other, of which each has found so much more than the one before. */
function readings(found: readonly { count: number; tokens: number }[]): Reading {
  const rounds = found.reduce((sum, { count }) => sum + count, 0);
  let left = rounds;
  let tokens = 0;
  for (const { count, tokens: each } of found) {
    // What the first has found is read by all that follow.
    tokens += each * (count * left - (count * (count - 1)) / 2);
    left -= count;
  }
  return { rounds, tokens };
}

const sum = (a: Reading, b: Reading): Reading => ({
  rounds: a.rounds + b.rounds,
  tokens: a.tokens + b.tokens,
});

const atOnceOf = (uses: readonly Uses[]): Reading => ({
  rounds: 0,
  tokens: uses.reduce((all, { count, tokens }) => all + count * tokens, 0),
});

/** The same with what stands before all uses. Of lists that an answer has shown, `listed` says how long each is. */
function withWhatIsAhead(
  { rounds, tokens }: Reading,
  { reads = [] }: Readers,
  usual: UsualReading,
  listed: readonly number[] = [],
): Reading {
  const list = usualTokens(LISTS, usual.tokens);
  const held = reads.filter(({ ahead }) => ahead).map((tool) => (tool.most ?? 1) * tokensOf(tool, usual));
  const beyond = listed.map((each) => Math.max(each - list, 0));
  const ahead = [...held, ...beyond].reduce((all, each) => all + each, 0);
  return { rounds, tokens: tokens + ahead * (1 + rounds) };
}

/** The most that the tools of a request read, where nothing more can be held on the way. */
export function mostRead(readers: Readers, usual: UsualReading): Reading {
  const uses = dearest(readers, usual);
  const used = sum(
    readings(uses.filter(({ isOnce }) => !isOnce)),
    atOnceOf(uses.filter(({ isOnce }) => isOnce)),
  );
  return withWhatIsAhead(used, readers, usual);
}

/** What an answer has shown so far of what its tools bring along, in tokens. */
export interface Shown {
  /** By each use that has begun. */
  found: readonly number[];
  /** By each server that has listed its tools. */
  listed: readonly number[];
}

export const NOTHING_SHOWN: Shown = { found: [], listed: [] };

/**
 * The same of an answer that tells each use as it begins: of all that have begun, by the tokens that each was seen to
 * bring along, and of the one that may begin next.
 */
export const readAhead = (readers: Readers, usual: UsualReading, { found, listed }: Shown): Reading =>
  withWhatIsAhead(usesRead(readers, usual, found), readers, usual, listed);

function usesRead(readers: Readers, usual: UsualReading, begun: readonly number[]): Reading {
  const all = dearest(readers, usual);
  const uses = all.filter(({ isOnce, isLate }) => !isOnce && !isLate);
  const rest = all.filter(({ isOnce, isLate }) => isOnce || isLate);
  const late = sum(
    readings(rest.filter(({ isOnce }) => !isOnce)),
    atOnceOf(rest.filter(({ isOnce }) => isOnce)),
  );
  const [first] = uses;
  if (!first) return late;
  const next = isOpen(readers) ? begun.length + 1 : uses.reduce((sum, { count }) => sum + count, 0);
  const seen = begun.map((tokens) => ({ count: 1, tokens: Math.max(tokens, first.tokens) }));
  if (begun.length < next) seen.push({ count: 1, tokens: first.tokens });
  return sum(readings(seen), late);
}

/** There is a tool whose uses nothing limits. */
const isOpen = ({ reads = [], together }: Readers): boolean =>
  reads.some(
    ({ most, apart, toldLate, once }) => most === null && (apart || together === null) && !toldLate && !once,
  );

export const mostOfReadings = (a: Reading, b: Reading): Reading => ({
  rounds: Math.max(a.rounds, b.rounds),
  tokens: Math.max(a.tokens, b.tokens),
});

/** A prompt with what tools read of it and into it; more than this is charged to nobody. */
export const withReading = (prompt: PromptBound, { rounds, tokens }: Reading): PromptBound =>
  rounds + tokens === 0
    ? prompt
    : {
        ...prompt,
        text: Math.min(prompt.text * (1 + rounds) + tokens, limits.maxTokensCap),
        audio: Math.min(prompt.audio * (1 + rounds), limits.maxTokensCap),
        image: Math.min(prompt.image * (1 + rounds), limits.maxTokensCap),
        ...(prompt.films && { films: Math.min(prompt.films * (1 + rounds), limits.maxTokensCap) }),
      };
