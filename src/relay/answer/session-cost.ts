/** What a Realtime session has used, and what it can have cost when the answers to come have ended. */
import { believedUses, sumOf } from '../../core/paid-tools.ts';
import { mostAfter, transcribedWith } from '../../core/price-bound.ts';
import { type Quote, quotaOf, type ToolUses, withTools } from '../../core/price-formula.ts';
import { type UsualUses, withReading } from '../../core/tool-reading.ts';
import { noUsage, sumOfUsage, type Usage } from '../../core/usage.ts';
import type { Call } from '../charge/call.ts';
import type { HeldCall } from '../charge/extend.ts';
import type { Produced } from '../charge/record.ts';
import type { ToolOptions } from '../charge/tool-need.ts';
import {
  type Answer,
  type AnswerBound,
  type AnswersSum,
  NO_ANSWERS,
  type OpenAnswers,
  withAnswer,
} from './session-answers.ts';
import {
  type Most,
  NOTHING_TO_READ,
  type SessionBound,
  sumOfBounds,
  withMost,
  withoutMost,
} from './session-bounds.ts';
import type { Conversation } from './session-context.ts';
import { SessionTools } from './session-tools.ts';
import type { Heard } from './session-transcripts.ts';
import { type Used, type Writer, WrittenDown } from './session-written.ts';

/** The call of a session, as far as its price goes. */
export type SessionCall = HeldCall &
  Pick<Call, 'quote' | 'toolPrices' | 'held'> & { request: Pick<Call['request'], 'startedAt'> };

/** Who may have written down what either did, and who what waits to be: all of that may turn out to be the named one's. */
const WRITERS: readonly (readonly [Writer, Writer])[] = [
  ['named', 'named'],
  ['own', 'own'],
  ['own', 'named'],
];
const OWN_WRITER: typeof WRITERS = [['own', 'own']];

/** What is to come beside what the session has used: so much more to read for each open answer, and other answers. */
export interface ToCome {
  toCome: SessionBound;
  others: readonly AnswerBound[];
  /** With these in the place of those that the session has. */
  tools?: SessionTools;
}

/** What answers come to, with the uses of these tools. */
interface Weight extends AnswersSum {
  tools: SessionTools;
  uses: ToolUses;
}

export class SessionCost {
  /** Those that the caller has named: an answer under way may be using them. */
  tools: SessionTools;
  readonly written = new WrittenDown();
  #usage = noUsage();
  /** Output of which nobody told, as it was held. */
  #untold = 0;
  /** What has ended and is being counted, by the most that it can have come to. */
  #uncounted: Most = { prompt: NOTHING_TO_READ, output: 0 };
  #uses: ToolUses = {};
  /** Tools were used that the session has not named. */
  #isUnasked = false;
  #answers = 0;

  constructor(
    readonly call: SessionCall,
    readonly options: ToolOptions,
    readonly conversation: Conversation,
    readonly open: OpenAnswers,
  ) {
    this.tools = new SessionTools({ prices: call.toolPrices, options });
  }

  add(more: Usage): void {
    this.#usage = sumOfUsage(this.#usage, more);
  }

  /** Who has written down an item, as far as that is told. */
  writerOf(item: Heard): Writer | 'either' {
    return this.written.writerOf(this.conversation.isByNamed(item));
  }

  /** So much output that nobody here saw, by what is held for it. */
  addUntold(tokens: number): void {
    const { held, quote } = this.call;
    // Nothing is held for a free call; a price a call has no such parts.
    if (held > 0 && quote.price.kind === 'tokens') this.#untold += tokens;
  }

  /** An answer that has ended is being counted, which has come to so much at the most; what it gives back ends that. */
  beginCount(most: Most): () => void {
    this.#uncounted = withMost(this.#uncounted, most);
    return () => {
      this.#uncounted = withoutMost(this.#uncounted, most);
    };
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
    this.open.end(answer, (bound) => this.#costOf(this.#weigh([bound], this.tools)));
    this.#answers++;
    const { uses, suspect, unasked } = believedUses(
      answer.uses.uses,
      this.tools.named,
      this.call.toolPrices,
      this.#usualUses,
    );
    this.#uses = sumOf(this.#uses, uses);
    this.#isUnasked ||= unasked;
    return suspect;
  }

  /** What the session can have cost when its open answers have ended, each of which may read so much more, and others. */
  costWith({ toCome, others, tools = this.tools }: ToCome): number {
    // What tools read is no plain sum.
    if (!tools.isEmpty) return this.#costOf(this.#weigh([...this.open.bounds(toCome), ...others], tools));
    return this.#costOf({ ...others.reduce(withAnswer, this.open.sum(toCome)), tools, uses: {} });
  }

  /** What answers of these bounds can come to, with what their tools read. */
  #weigh(bounds: readonly AnswerBound[], tools: SessionTools): Weight {
    const { reading, uses } = tools.ahead;
    const withAll = (bound: AnswerBound) => ({ ...bound, prompt: withReading(bound.prompt, reading) });
    const sum = bounds.map(withAll).reduce(withAnswer, NO_ANSWERS);
    return { ...sum, tools, uses: usesTimes(uses, bounds.length) };
  }

  /** What the session can have cost when so much has been added to what it has used. */
  #costOf({ prompt: toRead, output: toSay, answers, tools, uses: toUse }: Weight): number {
    const { quote, toolPrices } = this.call;
    const { heard, unwritten } = this.conversation.mostHeard();
    const { unwrittenItems } = this.conversation;
    const output = this.#uncounted.output + toSay;
    let prompt = sumOfBounds(sumOfBounds(heard, this.#uncounted.prompt), toRead);
    let uses = sumOf(this.#uses, toUse);
    for (const answer of this.open.all) {
      const more = tools.usesBeyond(answer);
      uses = sumOf(uses, more.uses);
      prompt = sumOfBounds(prompt, more.prompt);
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
  total(): Pick<Produced, 'usage' | 'transcribed' | 'uses' | 'unasked' | 'calls'> {
    this.#fitUntold();
    const { usage, written, transcribed } = this.#dearest();
    return {
      usage,
      ...(transcribed && transcribed.calls > 0 && { transcribed }),
      uses: this.#uses,
      ...(this.#isUnasked && { unasked: true }),
      calls: callsOf(this.#answers, written),
    };
  }

  get #usualUses(): UsualUses {
    return this.options.get('ToolMaxUses');
  }
}

const quoteWith = (quote: Quote, { transcribed }: Used): Quote =>
  transcribed ? { ...quote, transcribed } : quote;

/** A price a call is that of an answer, with what was heard for it; where nobody answers, that of what was written down. */
const callsOf = (answers: number, written: number): number => Math.max(answers, written);

/** So many times as many of each. */
const usesTimes = (uses: ToolUses, factor: number): ToolUses =>
  Object.fromEntries(Object.entries(uses).map(([tool, count]) => [tool, factor * count]));
