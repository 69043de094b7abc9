/** What a Realtime session has used, and what it can have cost when the answers to come have ended. */
import {
  believedUses,
  dearestUses,
  eitherOf,
  hasTools,
  NO_TOOLS,
  type PaidTools,
  sumOf,
  usesAhead,
} from '../../core/paid-tools.ts';
import {
  mostAfter,
  type PromptBound,
  type Quote,
  quotaOf,
  type ToolUses,
  transcribedWith,
  withTools,
} from '../../core/price-formula.ts';
import { readAhead, type UsualUses, withReading } from '../../core/tool-reading.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { Call } from '../charge/call.ts';
import type { HeldCall } from '../charge/extend.ts';
import type { Produced } from '../charge/record.ts';
import { usualReading } from '../charge/tool-need.ts';
import type { Answer, AnswerBound, AnswersSum, OpenAnswers } from './session-answers.ts';
import { beyond as beyondBound, type Conversation, NOTHING_TO_READ, sumOfBounds } from './session-context.ts';
import { sumOfUsage, type Used, type Writer, WrittenDown } from './session-written.ts';

/** The call of a session, as far as its price goes. */
export type SessionCall = HeldCall &
  Pick<Call, 'quote' | 'toolPrices' | 'held'> & { request: Pick<Call['request'], 'startedAt'> };

export interface SessionOptions {
  get(key: 'ToolMaxUses' | 'ToolReadTokens'): UsualUses;
}

/** Who may have written down what either did, and who what waits to be: all that waits may turn out to be the named one's. */
const WRITERS: readonly (readonly [Writer, Writer])[] = [
  ['named', 'named'],
  ['own', 'own'],
  ['own', 'named'],
];
const OWN_WRITER: typeof WRITERS = [['own', 'own']];

/** What is to come beside what the session has used: so much more to read for each open answer, and other answers. */
export interface ToCome {
  toCome: PromptBound;
  others: readonly AnswerBound[];
}

/** What answers come to, with the uses of their tools. */
interface Weight extends AnswersSum {
  uses: ToolUses;
}

const withOneMore = (weight: Weight, { prompt, output }: AnswerBound): Weight => ({
  ...weight,
  prompt: sumOfBounds(weight.prompt, prompt),
  output: weight.output + output,
  answers: weight.answers + 1,
});

export class SessionCost {
  /** Paid tools that the caller has named: an answer under way may be using them. */
  paid: PaidTools = NO_TOOLS;
  readonly written = new WrittenDown();
  #usage = noUsage();
  /** Output of which nobody told, as it was held. */
  #untold = 0;
  #uses: ToolUses = {};
  #answers = 0;

  constructor(
    readonly call: SessionCall,
    readonly options: SessionOptions,
    readonly conversation: Conversation,
    readonly open: OpenAnswers,
  ) {}

  add(more: Usage): void {
    this.#usage = sumOfUsage(this.#usage, more);
  }

  /** So much output that nobody here saw, by what is held for it. */
  addUntold(tokens: number): void {
    const { held, quote } = this.call;
    // Nothing is held for a free call; a price a call has no such parts.
    if (held > 0 && quote.price.kind === 'tokens') this.#untold += tokens;
  }

  /** Some of it is charged as it was held. */
  get isHeld(): boolean {
    return this.#untold > 0;
  }

  get #usageWithUntold(): Usage {
    return sumOfUsage(this.#usage, { ...noUsage(), output: this.#untold });
  }

  /** Nothing of it is to come any more. True where its tools were used beyond belief. */
  end(answer: Answer): boolean {
    this.open.end(answer, (bound) => this.#costOf(this.#weigh([bound])));
    this.#answers++;
    const { uses, suspect } = believedUses(
      answer.uses.uses,
      this.paid,
      this.call.toolPrices,
      this.#usualUses,
    );
    this.#uses = sumOf(this.#uses, uses);
    return suspect;
  }

  /** What the session can have cost when its open answers have ended, each of which may read so much more, and others. */
  with({ toCome, others }: ToCome): number {
    const mayUseTools = hasTools(this.paid) || others.some(({ tools }) => hasTools(tools));
    // What tools read is no plain sum.
    if (mayUseTools) return this.#costOf(this.#weigh([...this.open.bounds(toCome), ...others]));
    return this.#costOf(others.reduce(withOneMore, { ...this.open.sum(toCome), uses: {} }));
  }

  /** What answers of these bounds can come to, with what their tools read. */
  #weigh(bounds: readonly AnswerBound[]): Weight {
    const { toolPrices } = this.call;
    const usual = usualReading(this.options);
    let weight: Weight = { prompt: NOTHING_TO_READ, output: 0, answers: 0, uses: {} };
    for (const bound of bounds) {
      const tools = eitherOf(this.paid, bound.tools);
      const prompt = withReading(bound.prompt, readAhead(tools, usual, []));
      const uses = sumOf(weight.uses, dearestUses(tools, toolPrices, this.#usualUses));
      weight = { ...withOneMore(weight, { ...bound, prompt }), uses };
    }
    return weight;
  }

  /** What the session can have cost when so much has been added to what it has used. */
  #costOf({ prompt: toRead, output, answers, uses: toUse }: Weight): number {
    const { quote, toolPrices } = this.call;
    const { heard, unwritten } = this.conversation.mostHeard();
    const { unwrittenItems } = this.conversation;
    let prompt = sumOfBounds(heard, toRead);
    let uses = sumOf(this.#uses, toUse);
    if (hasTools(this.paid)) {
      const usual = this.#usualUses;
      const dearest = dearestUses(this.paid, toolPrices, usual);
      for (const answer of this.open.all) {
        // What goes on beyond its usual number.
        uses = sumOf(uses, beyond(usesAhead(answer.uses.uses, this.paid, usual), dearest));
        prompt = sumOfBounds(prompt, this.#readBeyond(answer));
      }
    }
    const withUses = withTools(quote, uses, toolPrices);
    const most = ([either, waiting]: readonly [Writer, Writer]): number => {
      const used = this.written.usedIf(either, this.#usageWithUntold);
      if (waiting === 'named' && used.transcribed) {
        const transcribed = transcribedWith(used.transcribed, unwritten, unwrittenItems);
        const calls = callsOf(this.#answers, used.written);
        return mostAfter({ ...withUses, transcribed }, used.usage, calls, { prompt, output, answers });
      }
      const more = { prompt: sumOfBounds(prompt, unwritten), output, answers };
      const calls = callsOf(this.#answers, used.written + unwrittenItems);
      return mostAfter(quoteWith(withUses, used), used.usage, calls, more);
    };
    return Math.max(...(this.written.isByTwo ? WRITERS : OWN_WRITER).map(most));
  }

  /** What it has used, by whichever of the two is dearer where the upstream did not tell who wrote something down. */
  #dearest(): Used {
    const usage = this.#usageWithUntold;
    const named = this.written.usedIf('named', usage);
    const own = this.written.usedIf('own', usage);
    return this.#spent(own) > this.#spent(named) ? own : named;
  }

  #spent(used: Used): number {
    const { quote, toolPrices } = this.call;
    const withUses = withTools(quote, this.#uses, toolPrices);
    return quotaOf(quoteWith(withUses, used), used.usage, callsOf(this.#answers, used.written));
  }

  /** Of what nobody saw no more is charged than is held: an answer may have begun for which that could not be done. */
  #fitUntold(): void {
    let least = 0;
    let most = this.#untold;
    while (least < most) {
      this.#untold = Math.ceil((least + most) / 2);
      if (this.#spent(this.#dearest()) <= this.call.held) least = this.#untold;
      else most = this.#untold - 1;
    }
    this.#untold = least;
  }

  /** What it came to. */
  total(): Pick<Produced, 'usage' | 'transcribed' | 'uses' | 'calls'> {
    this.#fitUntold();
    const { usage, written, transcribed } = this.#dearest();
    return {
      usage,
      ...(transcribed && transcribed.calls > 0 && { transcribed }),
      uses: this.#uses,
      calls: callsOf(this.#answers, written),
    };
  }

  /** What tools of an answer have read, and may read next, beyond what is held for one use from its beginning. */
  #readBeyond({ uses, bound }: Answer): PromptBound {
    if (uses.found.length === 0) return NOTHING_TO_READ;
    const tools = eitherOf(this.paid, bound.tools);
    const usual = usualReading(this.options);
    const readOf = (found: readonly number[]) => withReading(bound.prompt, readAhead(tools, usual, found));
    return beyondBound(readOf(uses.found), readOf([]));
  }

  get #usualUses(): UsualUses {
    return this.options.get('ToolMaxUses');
  }
}

const quoteWith = (quote: Quote, { transcribed }: Used): Quote =>
  transcribed ? { ...quote, transcribed } : quote;

/** A price a call is that of an answer, with what was heard for it; where nobody answers, that of what was written down. */
const callsOf = (answers: number, written: number): number => Math.max(answers, written);

/** The part of the first that is more than the other. */
function beyond(uses: ToolUses, known: ToolUses): ToolUses {
  const more: Record<string, number> = {};
  for (const [tool, count] of Object.entries(uses)) more[tool] = Math.max(count - (known[tool] ?? 0), 0);
  return more;
}
