/**
 * What a Realtime session uses, as its events pass, and what is held for it. An answer that is asked for goes up once its
 * most is held beside that of all others; where the session also answers by itself, its next answer is held ahead, or the
 * session ends with the last one that is paid for. `session-cost.ts` adds up, `session-counts.ts` counts what nobody tells,
 * `session-hold.ts` asks the balance.
 */
import { type AppError, fail } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { OUTPUT_ASSUMED, OUTPUT_AT_ONCE } from '../../core/price-bound.ts';
import { noUsage, promptTokens, type Usage, withOutputOf } from '../../core/usage.ts';
import type { VendorBill } from '../../core/vendor-bill.ts';
import { type RealtimeEvent, readRealtimeEvent } from '../../dialects/plain/openai-realtime.ts';
import { type AskedAnswer, type RealtimeSent, readRealtimeSent } from '../../dialects/plain/realtime-sent.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { billAt } from '../../providers/registry.ts';
import type { StreamEnd } from '../charge/call.ts';
import type { Produced } from '../charge/record.ts';
import type { Thinker } from '../charge/thinking.ts';
import type { ToolOptions } from '../charge/tool-need.ts';
import { elapsedMs } from '../request.ts';
import { outputLimit } from './asked-setting.ts';
import { Answer, type AnswerBound, boundWith, OpenAnswers } from './session-answers.ts';
import { NOTHING_TO_READ, type SessionBound, sumOfBounds } from './session-bounds.ts';
import { Conversation, withExtent } from './session-context.ts';
import { type SessionCall, SessionCost, type ToCome } from './session-cost.ts';
import { SessionCounts } from './session-counts.ts';
import { type EndedBy, type HoldDeps, type Lacking, SessionHold, type SessionOwner } from './session-hold.ts';
import { Sent } from './session-sent.ts';
import type { SessionTools } from './session-tools.ts';
import { type Context, judgedAnswer, judgedTranscript, NOTHING_BELIEVED } from './session-weigh.ts';
import { Wish } from './session-wish.ts';
import type { TranscribedEvent, Transcriber } from './transcriber.ts';

/** Why an event goes no further; null where it does. */
export type Refused = AppError | null;
const refusalOf = (isHeld: boolean): Refused => (isHeld ? null : fail('insufficient_user_quota'));

/** What answers, and where. */
export interface Served extends Pick<Thinker, 'model' | 'thinksUnseen'> {
  channel: Pick<RoutedChannel, 'type' | 'baseUrl'>;
}

export interface MeterDeps extends HoldDeps {
  options: ToolOptions;
}

/** What a session came to. */
export type SessionUse = Pick<
  Produced,
  'usage' | 'transcribed' | 'uses' | 'unasked' | 'usageSource' | 'suspect' | 'calls' | 'firstContentMs'
>;

export class SessionMeter {
  readonly #call: SessionCall;
  /** It thinks unseen, by its name or by what anybody has said of it. */
  #thinks: boolean;
  readonly #owner: SessionOwner;
  readonly #channel: Served['channel'];
  readonly #bill: VendorBill;
  /** When its upstream last heard or said anything, and when it last said what is paid for. */
  #livedAt = performance.now();
  #answeredAt = performance.now();

  // What it has used.
  readonly #cost: SessionCost;
  readonly #counts: SessionCounts;
  #isSuspect = false;
  #firstSoundMs: number | null = null;

  // What it may use yet.
  readonly #conversation: Conversation;
  readonly #open = new OpenAnswers();
  /** It answers whenever somebody has spoken, asked or not, as long as the upstream does not say otherwise. */
  #answersAlone = true;
  readonly #outputLimit = outputLimit();
  /** What goes up as soon as it is held. */
  #onItsWay = NOTHING_TO_READ;
  /** The same of a wish for an answer that is thought about. */
  #isThoughtOnItsWay = false;

  // What is held.
  readonly #hold: SessionHold;

  constructor(
    call: SessionCall,
    { model, thinksUnseen, channel }: Served,
    deps: MeterDeps,
    owner: SessionOwner,
  ) {
    this.#call = call;
    this.#thinks = thinksUnseen;
    this.#channel = channel;
    this.#bill = billAt(channel);
    this.#owner = owner;
    this.#conversation = new Conversation(model);
    this.#cost = new SessionCost(call, deps.options, this.#conversation, this.#open);
    this.#hold = new SessionHold(call, () => this.#lackingNow, deps, owner);
    this.#counts = new SessionCounts(model, this.#cost, this.#hold, owner, call.caller);
  }

  /** An answer is under way. */
  get isAnswering(): boolean {
    return this.#open.isAnyBegun;
  }

  /**
   * For so many milliseconds nothing was heard or said, by the word of the upstream alone: silence goes up for nothing,
   * and what merely acknowledges it is no sign of life.
   */
  get idleMs(): number {
    return performance.now() - this.#livedAt;
  }

  /** The same without anything that is paid for. */
  get quietMs(): number {
    return performance.now() - this.#answeredAt;
  }

  /** The memory that it takes for what was said, which is counted where nobody tells what it took. */
  get keptBytes(): number {
    return this.#conversation.keptBytes + this.#open.keptBytes + this.#counts.keptBytes;
  }

  /** Some of that it lets go though nothing passes: what is counted, and wishes that were refused, when somebody looks. */
  get keepsForNow(): boolean {
    return !this.#open.isSettled || this.#counts.keptBytes > 0;
  }

  // ---- The caller's side -----------------------------------------------------------------------------------------

  /** The model that the caller has named for writing down what is heard. */
  get transcriber(): Transcriber | undefined {
    return this.#cost.written.transcriber;
  }

  /** What an event of the caller's says. Throws `invalid_request` where it brings too much along. */
  read(event: TranscribedEvent): Told {
    const sent = readRealtimeSent(event.event);
    const { tools } = this.#cost;
    return { ...event, sent, tools: sent.paid ? tools.with(sent.paid) : tools };
  }

  /**
   * Hears an event of the caller's before it goes up; why it goes no further, now or when that is known, or null. Where
   * what it may cost cannot be held, that is so of an answer that he asks for; of anything else nothing can be held for
   * the next answer, and the session has ended.
   */
  hear(told: Told): Refused | Promise<Refused> {
    const isHeld = this.#hear(told);
    if (isHeld === 'full')
      return fail('session_answers_full', { params: { most: limits.sessionAnswersAtOnce } });
    return typeof isHeld === 'boolean' ? refusalOf(isHeld) : isHeld.then(refusalOf);
  }

  #hear(told: Told): boolean | 'full' | Promise<boolean> {
    const { sent, tools, transcriber } = told;
    if (sent.asks) return this.#open.isFull ? 'full' : this.#wish(told, sent.asks);
    this.#thinks ||= sent.thinks;
    const conversation = this.#conversation;
    this.#cost.written.transcriber = transcriber;
    // What the upstream makes of it, it has yet to tell.
    if (sent.transcribes !== undefined) conversation.tellNamed(false);
    if (sent.heardChars > 0) {
      // The service tells when somebody speaks in it: until then nobody reads it.
      conversation.add(sent);
      return conversation.isSpoken ? this.#covered() : true;
    }
    this.#cost.tools = tools;
    if (sent.outputCap !== undefined) this.#outputLimit.asked(sent.outputCap);
    this.#onItsWay = conversation.mostOf(sent);
    const take = () => {
      this.#onItsWay = NOTHING_TO_READ;
      if (conversation.changesTruncation(sent)) this.#open.markOtherwise();
      this.#open.bindMore(conversation.add(sent));
      if (Object.keys(sent.settings).length > 0) this.#open.setAnew();
      this.#countOverdue();
      return this.#covered();
    };
    if (this.#due <= 0) return take();
    return this.#hold
      .until(() => this.#due)
      .then((isHeld) => {
        if (!isHeld) this.#owner.end('exhausted', 'caller');
        return isHeld && take();
      });
  }

  /** One more answer is asked for. */
  #wish({ sent, tools, transcriber }: Told, asked: AskedAnswer): boolean | Promise<boolean> {
    const { outputCap, readsOtherwise } = asked;
    const { isApart, hasOwnInput } = asked.reading;
    const conversation = this.#conversation;
    const wish = new Wish(sent, asked, conversation);
    const bound = (): AnswerBound => ({
      prompt: wish.most(this.#toRead),
      ...this.#outputBound(outputCap),
    });
    const lacking = () =>
      this.#lacking((toCome) => {
        const more = bound();
        const saidFirst = isApart ? NOTHING_TO_READ : asRead(more.output);
        return {
          toCome: sumOfBounds(saidFirst, toCome),
          others: [hasOwnInput ? more : boundWith(more, toCome)],
          tools,
        };
      }, !isApart || this.#open.inConversation);
    const take = () => {
      this.#thinks ||= sent.thinks;
      conversation.hearAs(sent);
      wish.goUp();
      const answer = new Answer(isApart, bound(), wish, this.#bill);
      answer.readsOtherwise = readsOtherwise;
      if (!isApart) this.#open.bindMore(conversation.addOwn(wish.input));
      this.#openOne(answer);
      this.#cost.tools = tools;
      this.#cost.written.transcriber = transcriber;
      return this.#covered();
    };
    this.#isThoughtOnItsWay = sent.thinks;
    const settle = (isHeld: boolean) => {
      this.#isThoughtOnItsWay = false;
      return isHeld && take();
    };
    if (lacking() <= 0) return settle(true);
    return this.#hold.until(lacking).then(settle);
  }

  #openOne(answer: Answer): void {
    if (!answer.isApart) this.#open.bindMore(asRead(answer.bound.output));
    this.#open.add(answer);
  }

  /** The most that an answer to the conversation can read, when those before it have said all that they may. */
  get #toRead(): SessionBound {
    const known = sumOfBounds(this.#conversation.most(), this.#onItsWay);
    return sumOfBounds(known, asRead(this.#open.toBeSaid));
  }

  #outputBound(cap: number | null | undefined): Pick<AnswerBound, 'output' | 'isCapped'> {
    const most = cap === undefined ? this.#outputLimit.loosest : cap;
    // What is thought is not seen to grow, so that nothing can be held for it as it comes.
    const longest = this.#thinks || this.#isThoughtOnItsWay ? OUTPUT_AT_ONCE : OUTPUT_ASSUMED;
    const output = Math.min(most ?? longest, limits.maxTokensCap);
    return { output, isCapped: most !== null };
  }

  // ---- The upstream's side ---------------------------------------------------------------------------------------

  /** An event of the upstream's, as it came. */
  watch(text: string): void {
    const event = readRealtimeEvent(text, parseJson);
    this.#noteLife(event);
    if (this.#watch(event, text)) this.#hold.cover();
  }

  #noteLife(event: RealtimeEvent): void {
    switch (event.kind) {
      case 'other':
      case 'session':
      case 'committed':
      case 'uncommitted':
      case 'cleared':
      case 'unwritable':
        return;
      case 'heard':
      case 'speech':
        this.#livedAt = performance.now();
        if (event.kind === 'heard' && event.usage) this.#answeredAt = this.#livedAt;
        return;
      default:
        this.#livedAt = performance.now();
        this.#answeredAt = this.#livedAt;
    }
  }

  /** True where it may cost more than before. */
  #watch(event: RealtimeEvent, text: string): boolean {
    const conversation = this.#conversation;
    switch (event.kind) {
      case 'created':
        this.#begin(event.answer, event.isApart);
        return true;
      case 'sound':
      case 'text':
      case 'transcript': {
        this.#firstSoundMs ??= elapsedMs(this.#call.request);
        const answer = this.#of(event.answer);
        const isNew = answer.isSilent;
        if (event.kind === 'sound') answer.speak(text.length);
        else if (event.kind === 'text') answer.write(event.text);
        else answer.transcribe(event.text);
        return this.#open.outgrows(answer, conversation) || isNew;
      }
      case 'item':
        return this.#hearTools(this.#of(event.answer), text);
      case 'done':
        this.#done(event, text);
        return true;
      case 'writing':
        conversation.write(event.item, event.text);
        return false;
      case 'heard':
        this.#write(event);
        return true;
      case 'session':
        this.#answersAlone = event.answersAlone ?? this.#answersAlone;
        this.#thinks ||= event.thinks;
        this.#outputLimit.said(event.outputCap);
        if (event.transcribes !== null) conversation.writesDown.said(event.transcribes);
        if (event.transcriber !== undefined)
          conversation.tellNamed(event.transcriber === this.transcriber?.upstream);
        return true;
      case 'unwritable':
        conversation.tellNamed(false);
        return false;
      case 'speech':
        conversation.speechBegins();
        return true;
      case 'committed':
        this.#open.bindMore(conversation.committed(event.item));
        this.#countOverdue();
        return true;
      case 'uncommitted':
        conversation.uncommitted();
        return false;
      case 'cleared':
        conversation.forgetSound();
        return false;
      case 'other':
        return false;
    }
  }

  /** True where an event told of tools. What they have found, the conversation goes on with. */
  #hearTools({ uses, isApart }: Answer, text: string): boolean {
    if (this.#cost.tools.isEmpty) return false;
    const before = uses.foundTokens;
    const isTold = uses.hear(text);
    const found = uses.foundTokens - before;
    if (!isApart && found > 0) this.#open.bindMore(this.#conversation.found(found));
    return isTold;
  }

  /** The answer of this name, which begins now where it has not. */
  #of(id: string | null): Answer {
    return this.#open.begun(id) ?? this.#begin(id, null);
  }

  #begin(id: string | null, isApart: boolean | null): Answer {
    const known = id === null ? null : this.#open.begun(id);
    if (known) return known;
    const answer = this.#open.next(isApart) ?? this.#unasked(isApart ?? false);
    this.#open.begin(answer, id, isApart);
    return answer;
  }

  /** An answer that the upstream begins by itself. */
  #unasked(isApart: boolean): Answer {
    const conversation = this.#conversation;
    const bound = this.#next;
    const reads = isApart
      ? conversation.beside(new Sent(), conversation.standing())
      : conversation.beginUnasked();
    const answer = new Answer(isApart, bound, reads, this.#bill);
    this.#openOne(answer);
    return answer;
  }

  #done(event: Extract<RealtimeEvent, { kind: 'done' }>, text: string): void {
    this.#firstSoundMs ??= elapsedMs(this.#call.request);
    const answer = this.#of(event.answer);
    this.#hearTools(answer, text);
    const after = this.#open.after(answer);
    const before = this.#conversation.extent;
    this.#close(answer);
    const words = answer.wordsIn(event);
    const { weighed, isDoubted } = judgedAnswer(answer, { told: event.usage, words }, this.#context);
    const { prompt, output } = weighed ?? NOTHING_BELIEVED;
    if (prompt && output) {
      const usage = withOutputOf(prompt, output);
      this.#cost.add(usage);
      if (!answer.isApart) this.#answered(answer, usage);
    } else {
      // Whoever has it ended must not have thought for nothing.
      const isForNothing = event.isFailed && words === '' && answer.isSilent;
      const isUnseen = this.#thinks && event.isCancelled && !output;
      if (!isForNothing) this.#counts.answer(answer, { told: words, isUnseen, believed: { prompt, output } });
      if (!answer.isApart) this.#answeredUntold(answer, words, output);
    }
    after.goOn(withExtent(this.#conversation.extent, before, -1));
    this.#isSuspect ||= isDoubted || (weighed !== null && !(prompt && output));
    this.#lookAhead();
  }

  /** What is held against everything that is told. */
  get #context(): Context {
    return { conversation: this.#conversation, channel: this.#channel };
  }

  /** Every answer reads something: one that is told to have taken nothing tells nothing of the conversation. */
  #answered({ readsOtherwise }: Answer, usage: Usage): void {
    if (readsOtherwise || promptTokens(usage) === 0) this.#conversation.answeredInPart(usage);
    else this.#conversation.answered(usage);
  }

  /** The same of one that did not tell what it read, or neither that nor what it said. */
  #answeredUntold(answer: Answer, words: string, output: Usage | null): void {
    if (output) this.#conversation.answeredInPart(withOutputOf(noUsage(), output));
    else this.#conversation.unanswered(answer.saidToNext(words));
  }

  /** Nothing of it is to come any more. */
  #close(answer: Answer): void {
    if (this.#cost.end(answer)) this.#isSuspect = true;
  }

  /** An item has been written down, or could not be: what is not written costs nothing. */
  #write({ item: id, usage: told, text, isFailed }: Extract<RealtimeEvent, { kind: 'heard' }>): void {
    const item = this.#conversation.written(id);
    if (!item) return;
    const context = { ...this.#context, names: this.#counts.writers };
    const { weighed, isDoubted, seconds } = judgedTranscript(item, { told, words: text }, context);
    if (weighed?.usage) this.#cost.written.add(weighed.usage, 1, this.#cost.writerOf(item));
    else if (told || !isFailed || !item.said.isEmpty) this.#counts.written(item, text, seconds);
    this.#isSuspect ||= isDoubted || weighed?.usage === null;
  }

  #countOverdue(): void {
    for (const item of this.#conversation.takeOverdue()) this.#counts.written(item);
  }

  // ---- What is held ----------------------------------------------------------------------------------------------

  /** The most that the next answer of the conversation can come to. */
  get #next(): AnswerBound {
    return { prompt: this.#toRead, ...this.#outputBound(undefined) };
  }

  /**
   * Quota units that must be held beyond what is for the answers to come, and for one that may begin unasked: `answers`
   * tells of them when so much more may come into the conversation before they begin.
   */
  #lacking(answers: (toCome: SessionBound) => ToCome, inConversation: boolean): number {
    const { held } = this.#call;
    if (!this.#answersAlone || inConversation) return this.#cost.costWith(answers(NOTHING_TO_READ)) - held;
    const next = this.#next;
    const first = answers(asRead(next.output));
    return this.#cost.costWith({ ...first, others: [...first.others, next] }) - held;
  }

  /** The answers that were asked for or are under way. */
  readonly #underWay = (toCome: SessionBound): ToCome => ({
    toCome: sumOfBounds(this.#onItsWay, toCome),
    others: [],
  });

  /** What is lacking for the answers that were asked for or are under way. */
  get #due(): number {
    return this.#lacking(this.#underWay, this.#open.inConversation);
  }

  /** The same, and with the answer that may begin unasked after them. */
  get #lackingNow(): Lacking {
    return { due: this.#due, ahead: this.#lacking(this.#underWay, false) };
  }

  #covered(): true {
    this.#hold.cover();
    return true;
  }

  /** An answer has ended. Where not even the reading of an unasked one is held, and could not be, there is none. */
  #lookAhead(): void {
    if (!this.#hold.isShort || !this.#answersAlone || this.#open.inConversation) return;
    const cost = this.#cost.costWith({ toCome: NOTHING_TO_READ, others: [{ ...this.#next, output: 0 }] });
    if (cost > this.#call.held) this.#owner.end('exhausted', 'caller');
  }

  // ---- The end ---------------------------------------------------------------------------------------------------

  /** From here on nothing more is held. */
  close(): void {
    this.#hold.close();
  }

  /** Only its upstream can tell what the answers took that were asked for or are under way. */
  get isOwedUsage(): boolean {
    return this.#thinks && this.#open.live().length > 0;
  }

  /** Answers that nobody reads any more and the upstream has not been asked to end yet, which it is then. */
  takeUncancelled(): (string | null)[] {
    return this.#open.takeUncancelled();
  }

  /**
   * What it came to, once it is closed. After this nothing is asked of the balance any more. Answers under way are paid
   * as far as they came, with what they read; one that its upstream broke off before it said anything costs nothing. Of
   * an answer that has not begun, its upstream reads what it is asked where the end is the caller's doing. What was to be
   * written down is paid as far as it was heard. What was thought unseen is paid as it was held where it is the caller's
   * doing or ours that the upstream could not tell it.
   */
  async total(end: StreamEnd, by: EndedBy): Promise<SessionUse> {
    const isUnseen = this.#thinks && end !== 'upstream_cut' && (by === 'caller' || by === 'gateway');
    for (const answer of this.#open.live()) {
      if (end === 'upstream_cut' ? answer.isSilent : !answer.isBegun && by !== 'caller') continue;
      if (answer.isBegun) this.#close(answer);
      this.#counts.answer(answer, { told: '', isUnseen });
    }
    for (const item of this.#conversation.unpaid()) {
      if (end !== 'upstream_cut' || !item.said.isEmpty) this.#counts.written(item);
    }
    await this.#counts.settled();
    await this.#hold.settled();
    const total = this.#cost.total();
    const counted = this.#counts.isEstimated ? 'estimated' : 'upstream';
    return {
      ...total,
      usageSource: this.#cost.isHeld ? 'held' : counted,
      suspect: this.#isSuspect,
      firstContentMs: this.#firstSoundMs,
    };
  }
}

/** An event of the caller's, what it says, and the tools that the session has once it goes up. */
export interface Told extends TranscribedEvent {
  sent: RealtimeSent;
  tools: SessionTools;
}

/** What answers say, as those after them read it. */
const asRead = (tokens: number): SessionBound => ({ ...NOTHING_TO_READ, audio: tokens });
