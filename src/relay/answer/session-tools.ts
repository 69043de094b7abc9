/**
 * The tools that the caller of a Realtime session has named, all of which stay until its end, and what answers may come to
 * with them. That is asked at each event, and an event is nothing to send: so it is found out when another tool is named,
 * when an answer has used one, or when an option changes. Which tools are others is looked at where an event names any.
 */
import { CallersMap } from '../../core/callers-keys.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import {
  dearestUses,
  hasTools,
  NO_TOOLS,
  type PaidTools,
  type ToolPriceTable,
  usesAhead,
  withNames,
} from '../../core/paid-tools.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import {
  NOTHING_SHOWN,
  type Reading,
  readAhead,
  type UsualReading,
  withReading,
} from '../../core/tool-reading.ts';
import { atMost, refuse, wrong } from '../../dialects/bounds.ts';
import { type ToolOptions, usualReading } from '../charge/tool-need.ts';
import type { Answer } from './session-answers.ts';
import { boundBeyond, NOTHING_TO_READ, type SessionBound } from './session-bounds.ts';

/** By what tools are weighed. */
export interface ToolTerms {
  prices: ToolPriceTable;
  options: ToolOptions;
}

/** What each answer may come to from its beginning: uses that have a price, and what is read for all of them. */
interface Ahead {
  usual: UsualReading;
  uses: ToolUses;
  reading: Reading;
}

/** What an answer has come to beyond that, and by what it was found. */
interface Beyond {
  ahead: Ahead;
  looks: number;
  bound: SessionBound;
  uses: ToolUses;
  prompt: SessionBound;
}

export class SessionTools {
  #ahead: Ahead | null = null;
  readonly #beyond = new WeakMap<Answer, Beyond>();
  /** Of each tool all that is said of it. */
  readonly #known: ReadonlySet<string>;

  constructor(
    readonly terms: ToolTerms,
    readonly named: PaidTools = NO_TOOLS,
  ) {
    this.#known = new Set([...named.tools, ...(named.reads ?? [])].map((tool) => JSON.stringify(tool)));
  }

  get isEmpty(): boolean {
    return !hasTools(this.named);
  }

  /** With these, each once; the same where it has them all. Throws `invalid_request` for more than a session keeps. */
  with({ tools, reads = [] }: PaidTools): SessionTools {
    const moreTools = this.#unknown(tools);
    const moreReads = this.#unknown(reads);
    if (moreTools.length + moreReads.length === 0) return this;
    const names = [...moreTools.flatMap(({ as }) => as), ...moreReads.map(({ name }) => name)];
    if (names.some((name) => name.length > limits.callNameChars)) throw refuse('tools', wrong.long);
    const allReads = bounded([...(this.named.reads ?? []), ...moreReads]);
    return new SessionTools(this.terms, {
      tools: withNames(bounded([...this.named.tools, ...moreTools])),
      together: null,
      ...(allReads.length > 0 && { reads: allReads }),
    });
  }

  #unknown<T>(tools: readonly T[]): T[] {
    const seen = new CallersMap<true>();
    return tools.filter((tool) => {
      const said = JSON.stringify(tool);
      if (this.#known.has(said) || seen.get(said)) return false;
      seen.set(said, true);
      return true;
    });
  }

  get ahead(): Ahead {
    const { prices, options } = this.terms;
    const usual = usualReading(options);
    const known = this.#ahead;
    if (known && known.usual.uses === usual.uses && known.usual.tokens === usual.tokens) return known;
    const uses = this.#priced(dearestUses(this.named, prices, usual.uses));
    this.#ahead = { usual, uses, reading: readAhead(this.named, usual, NOTHING_SHOWN) };
    return this.#ahead;
  }

  /** What an answer comes to beyond what is held from its beginning: uses, and what they have read or may read next. */
  usesBeyond(answer: Answer): Pick<Beyond, 'uses' | 'prompt'> {
    const { looks } = answer.uses;
    if (looks === 0) return NOTHING_BEYOND;
    const { ahead } = this;
    const bound = answer.bound.prompt;
    const known = this.#beyond.get(answer);
    if (known?.ahead === ahead && known.looks === looks && known.bound === bound) return known;
    const uses = this.#priced(usesAhead(answer.uses.uses, this.named, ahead.usual.uses));
    const read = withReading(bound, readAhead(this.named, ahead.usual, answer.uses));
    const found: Beyond = {
      ...{ ahead, looks, bound },
      uses: moreThan(uses, ahead.uses),
      prompt: boundBeyond(read, withReading(bound, ahead.reading)),
    };
    this.#beyond.set(answer, found);
    return found;
  }

  /** What has no price costs nothing, whatever its number. */
  #priced(uses: ToolUses): ToolUses {
    const isPriced = ([tool]: [string, number]) => own(this.terms.prices, tool) !== undefined;
    return Object.fromEntries(Object.entries(uses).filter(isPriced));
  }
}

function bounded<T>(tools: readonly T[]): readonly T[] {
  if (tools.length <= limits.sessionTools) return tools;
  throw refuse('tools', atMost(limits.sessionTools, '种工具', 'kinds of tools'));
}

const NOTHING_BEYOND = { uses: {}, prompt: NOTHING_TO_READ };

/** The part of the first that is more than the other. */
function moreThan(uses: ToolUses, known: ToolUses): ToolUses {
  const more: Record<string, number> = {};
  for (const [tool, count] of Object.entries(uses)) {
    const most = own(known, tool) ?? 0;
    if (count > most) more[tool] = count - most;
  }
  return more;
}
