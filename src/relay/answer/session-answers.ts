/**
 * The answers of a Realtime session that were asked for or are under way, each with the most that it can come to. There
 * is one at a time in the conversation, and any number beside it.
 */
import { limits } from '../../core/limits.ts';
import type { VendorBill } from '../../core/vendor-bill.ts';
import type { SaidInWords } from '../../dialects/plain/openai-realtime.ts';
import { ToolCounter } from '../../dialects/tool-uses.ts';
import {
  boundTimes,
  type Most,
  NOTHING_TO_READ,
  type SessionBound,
  sumOfBounds,
  withMost,
  withoutMost,
} from './session-bounds.ts';
import type { Extent, Reads } from './session-context.ts';
import { BYTES_A_CHAR, type Clock, Sent, SPOKEN_TOKENS_A_SECOND } from './session-sent.ts';

/** What an answer can come to at the most. */
export interface AnswerBound extends Most {
  /** Its limit is the caller's own. */
  isCapped: boolean;
}

/** The same where it reads so much more. */
export const boundWith = (bound: AnswerBound, more: SessionBound): AnswerBound => ({
  ...bound,
  prompt: sumOfBounds(bound.prompt, more),
});

/** Share of what is held for it that an answer may use up before more is asked for. */
const EXTEND_AT = 0.8;
/** As of other streams: text has at least so many bytes a token, and more of a limit's last tokens. */
const BYTES_A_TOKEN = 3;
const BYTES_A_TOKEN_MOST = 12;

/** What several answers can come to at the most, all together. */
export interface AnswersSum extends Most {
  answers: number;
}

/** What an answer is to read, for as long as it has not begun. */
export interface ToRead {
  /** The memory that the words of it take. */
  keptBytes: number;
  /** An answer before it has ended, by which there is so much more of the conversation. */
  goOn(more: Extent): void;
  /** What its session is told has been set anew. */
  setAnew(): void;
  /** What that is, as it begins. */
  begin(): Reads;
}

const isWaiting = (reads: Reads | ToRead): reads is ToRead => 'begin' in reads;

export class Answer {
  /** The upstream's name for it; null as long as it was not told. */
  id: string | null = null;
  isBegun = false;
  /** It may not have read the conversation with what the session is, so that what it took does not tell their size. */
  readsOtherwise = false;
  /** Its upstream was asked to end it. */
  isCancelled = false;
  readonly uses: ToolCounter;
  readonly #written = new Sent();
  /** What it has spoken, in words. */
  readonly #transcript = new Sent();
  spokenBytes = 0;
  #reads: Reads | ToRead;
  readonly #askedAt = performance.now();

  /** The bound is for `OpenAnswers` to change, which sums it up. */
  constructor(
    readonly isApart: boolean,
    public bound: AnswerBound,
    reads: Reads | ToRead,
    bill: VendorBill,
  ) {
    this.#reads = reads;
    this.uses = new ToolCounter(bill);
  }

  /** The memory that its words take, and those that it reads. */
  get keptBytes(): number {
    const reads = isWaiting(this.#reads) ? this.#reads : this.#reads.sent;
    return this.#written.keptBytes + this.#transcript.keptBytes + reads.keptBytes;
  }

  /** What it is to read; null where it has begun to. */
  get waiting(): ToRead | null {
    return isWaiting(this.#reads) ? this.#reads : null;
  }

  /**
   * What it reads, as it was when it began. One that has not begins to: the conversation goes on from there, and what it was
   * asked with is kept no longer.
   */
  startReading(): Reads {
    if (isWaiting(this.#reads)) this.#reads = this.#reads.begin();
    return this.#reads;
  }

  begin(id: string | null, isOtherwise: boolean): void {
    this.id = id;
    this.isBegun = true;
    this.readsOtherwise ||= isOtherwise;
    this.startReading();
  }

  get isSilent(): boolean {
    return this.spokenBytes === 0 && this.#written.text.isEmpty && this.#transcript.text.isEmpty;
  }

  speak(chars: number): void {
    this.spokenBytes += chars * BYTES_A_CHAR;
  }

  write(text: string): void {
    this.#written.write(text);
  }

  transcribe(text: string): void {
    this.#transcript.write(text);
  }

  /** What it has said beside its sound, which tells of itself what was spoken. */
  get words(): Sent {
    return this.spokenBytes > 0 ? this.#written : this.#written.with(this.#transcript);
  }

  /** The same of what its end tells. */
  wordsIn({ text, transcript }: SaidInWords): string {
    return this.spokenBytes > 0 ? text : text + transcript;
  }

  /** What it has said, as those after it read it; `told` are its words where they came whole. */
  saidToNext(told: string): Sent {
    const words = told === '' ? this.words : Sent.ofTexts([told]);
    return Sent.ofSpeech(this.spokenBytes).with(words);
  }

  /** The bound with room for as much again where it nears what is held for it; null where it does not. */
  outgrown({ bytesASecond }: Clock): AnswerBound | null {
    const { output, isCapped } = this.bound;
    const spoken = (this.spokenBytes / bytesASecond) * SPOKEN_TOKENS_A_SECOND;
    const bytes = this.#written.textBytes + this.#transcript.textBytes;
    const tokens = spoken + bytes / (isCapped ? BYTES_A_TOKEN_MOST : BYTES_A_TOKEN);
    if (tokens <= (isCapped ? output : output * EXTEND_AT)) return null;
    return { ...this.bound, output: Math.ceil(Math.max(output, tokens)) * 2 };
  }

  /** Nothing came of the wish for it: an upstream that refuses one does not always say which. */
  get isRefused(): boolean {
    return !this.isBegun && performance.now() - this.#askedAt > limits.answerBeginsMs;
  }
}

export const NO_ANSWERS: AnswersSum = { prompt: NOTHING_TO_READ, output: 0, answers: 0 };

/** With one more answer of such a bound. */
export const withAnswer = (sum: AnswersSum, bound: Most): AnswersSum => ({
  ...withMost(sum, bound),
  answers: sum.answers + 1,
});

const withoutAnswer = (sum: AnswersSum, bound: Most): AnswersSum => ({
  ...withoutMost(sum, bound),
  answers: sum.answers - 1,
});

export class OpenAnswers {
  #open: Answer[] = [];
  /** Of their bounds, kept as they change: they are asked for at each event. */
  #sum = NO_ANSWERS;
  /** Of those that read otherwise, some were dropped, beside the conversation or in it, and may begin yet at any time. */
  readonly #late = { apart: false, inConversation: false };
  /** The next one of the conversation may read otherwise, whichever it is. */
  #isNextOtherwise = false;

  get all(): readonly Answer[] {
    return this.#open;
  }

  /** Those of which something may come yet. All others are dropped. */
  live(): readonly Answer[] {
    for (const answer of this.#open) if (answer.isRefused) this.#drop(answer);
    return this.#open;
  }

  /** No more can be asked for until one of them has ended. */
  get isFull(): boolean {
    return this.live().length >= limits.sessionAnswersAtOnce;
  }

  add(answer: Answer): void {
    this.#open.push(answer);
    this.#sum = withAnswer(this.#sum, answer.bound);
  }

  #drop(answer: Answer): void {
    this.#remove(answer);
    if (answer.readsOtherwise) this.#late[answer.isApart ? 'apart' : 'inConversation'] = true;
  }

  #remove(answer: Answer): void {
    this.#open = this.#open.filter((each) => each !== answer);
    this.#sum = withoutAnswer(this.#sum, answer.bound);
  }

  #rebind(answer: Answer, bound: AnswerBound): void {
    this.#sum = withAnswer(withoutAnswer(this.#sum, answer.bound), bound);
    answer.bound = bound;
  }

  /** Those that were asked for after this one: when it has ended, they go on with what there is more. */
  after(answer: Answer): Pick<ToRead, 'goOn'> {
    const after = this.#open.slice(this.#open.indexOf(answer) + 1);
    return {
      goOn: (more) => {
        for (const { waiting } of after) waiting?.goOn(more);
      },
    };
  }

  /** What the session is told has been set anew: those that have not begun may read either. */
  setAnew(): void {
    for (const { waiting } of this.#open) waiting?.setAnew();
  }

  /** None of them has yet to begin. */
  get isSettled(): boolean {
    return this.live().every(({ isBegun }) => isBegun);
  }

  /** What is held for them, where those that have not begun may read so much more. */
  bounds(more: SessionBound = NOTHING_TO_READ): AnswerBound[] {
    const { isSettled } = this;
    return this.#open.map(({ bound }) => (isSettled ? bound : boundWith(bound, more)));
  }

  /** The same all together, beside what tools read. */
  sum(more: SessionBound): AnswersSum {
    if (this.isSettled) return this.#sum;
    const { prompt, output, answers } = this.#sum;
    return { prompt: sumOfBounds(prompt, boundTimes(more, answers)), output, answers };
  }

  /** Makes room for as much again where an answer nears what is held for it; true where it did. */
  outgrows(answer: Answer, clock: Clock): boolean {
    const bound = answer.outgrown(clock);
    if (bound) this.#rebind(answer, bound);
    return bound !== null;
  }

  /** The conversation has its answer, or is about to. */
  get inConversation(): boolean {
    return this.live().some(({ isApart }) => !isApart);
  }

  /** Tokens that answers of the conversation may yet add to it. */
  get toBeSaid(): number {
    return this.live().reduce((sum, { isApart, bound }) => sum + (isApart ? 0 : bound.output), 0);
  }

  /**
   * So much more may be read by those that have not begun. It is held for all: nobody knows yet which of the wishes
   * becomes which answer.
   */
  bindMore(more: SessionBound): void {
    if (this.isSettled) return;
    for (const answer of this.#open) this.#rebind(answer, boundWith(answer.bound, more));
  }

  /** The memory that the words of all take. */
  get keptBytes(): number {
    return this.#open.reduce((sum, { keptBytes }) => sum + keptBytes, 0);
  }

  get isAnyBegun(): boolean {
    return this.#open.some(({ isBegun }) => isBegun);
  }

  /** The names of those under way whose upstream has not been asked to end them, which it is then. */
  takeUncancelled(): (string | null)[] {
    const running = this.#open.filter(({ isBegun, isCancelled }) => isBegun && !isCancelled);
    for (const answer of running) answer.isCancelled = true;
    return running.map(({ id }) => id);
  }

  /** The one of this name, or that which has none yet; null where there is no such answer. */
  begun(id: string | null): Answer | null {
    const begun = this.#open.filter(({ isBegun }) => isBegun);
    if (id === null) return begun[0] ?? null;
    const known = begun.find((answer) => answer.id === id) ?? begun.find((answer) => answer.id === null);
    if (known) known.id = id;
    return known ?? null;
  }

  /**
   * The first that was asked for and has not begun: upstreams begin them in the order in which they were asked for. One of
   * the conversation is never taken for one beside it: nobody may have asked for it.
   */
  next(isApart: boolean | null): Answer | null {
    const waiting = this.live().filter(({ isBegun }) => !isBegun);
    return waiting.find((answer) => isApart === null || answer.isApart === isApart) ?? null;
  }

  /** Those of the conversation that were asked for, under way or not, may read otherwise than those after them. */
  markOtherwise(): void {
    for (const answer of this.#open) answer.readsOtherwise ||= !answer.isApart;
    this.#isNextOtherwise = true;
  }

  /**
   * It begins, by this name. Nobody knows which of the wishes became which answer: where it may be one that reads
   * otherwise, any of the conversation that was asked for may be that one in its place, and so may the next that begins
   * where nobody has asked for it.
   */
  begin(answer: Answer, id: string | null, isApart: boolean | null): void {
    const isOtherwise = this.#mayBeOtherwise(isApart);
    const { isApart: isBeside } = answer;
    answer.begin(id, isOtherwise || (this.#isNextOtherwise && !isBeside));
    if (isBeside) return;
    if (isOtherwise) this.markOtherwise();
    else this.#isNextOtherwise = false;
  }

  /** `isApart`: null where that is not told. */
  #mayBeOtherwise(isApart: boolean | null): boolean {
    const isAskedOf = (each: Answer) => each.readsOtherwise && (isApart === null || !each.isApart);
    const { apart, inConversation } = this.#late;
    return inConversation || (isApart === null && apart) || this.#open.some(isAskedOf);
  }

  /**
   * It has ended. Nobody knows which of the wishes became which answer, so that the bound that goes with it is the least
   * of all, and is its own from here on: what is held for the others covers them, whichever they are.
   */
  end(answer: Answer, priceOf: (bound: AnswerBound) => number): void {
    const all = this.live();
    this.#remove(answer);
    if (this.#open.length === 0) return;
    const least = all.reduce((a, b) => (priceOf(b.bound) < priceOf(a.bound) ? b : a));
    if (least === answer) return;
    const { bound } = least;
    this.#rebind(least, answer.bound);
    answer.bound = bound;
  }
}
