/**
 * A Realtime session: events pass both ways as they are, and every answer's usage is added up as it comes. What the
 * session may cost is held ahead of it; when no more can be held it ends. It is settled once, when it closes.
 */
import { type AppError, fail } from '../core/errors.ts';
import { type JsonObject, parseJson, parseObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { imageTokens } from '../core/media-tokens.ts';
import {
  believedUses,
  dearestUses,
  NO_TOOLS,
  type PaidTool,
  type PaidTools,
  type UsualUses,
} from '../core/paid-tools.ts';
import { quotaOf, toolCost, withTools } from '../core/price-formula.ts';
import { completionTokens, noUsage, promptTokens, type Usage } from '../core/usage.ts';
import type { WordMatcher, WordScanner } from '../core/word-matcher.ts';
import { ruled } from '../dialects/body-rules.ts';
import type { PublicError, UpstreamErrorBody } from '../dialects/dialect.ts';
import { guardJson } from '../dialects/json-guard.ts';
import {
  openaiRealtime,
  readRealtimeEvent,
  realtimeError,
  realtimeSaid,
  withErrorsTold,
} from '../dialects/plain/openai-realtime.ts';
import {
  readRealtimeSent,
  withSessionModel,
  withWordsShown,
  wordsOfEvent,
} from '../dialects/plain/realtime-sent.ts';
import { ToolCounter } from '../dialects/tool-uses.ts';
import { filteredText } from '../dialects/word-filter.ts';
import type { ServerSocket, SocketPeer } from '../platform/sockets.ts';
import { judged } from './account-words.ts';
import type { SocketAnswer } from './attempt.ts';
import { countProduced } from './count.ts';
import type { RelayDeps } from './deps.ts';
import { publicError, toRelayError } from './error-reply.ts';
import { KeptText } from './kept-text.ts';
import { failureOfAnswer, wordsForCallers } from './outcome.ts';
import { plausible, SESSION_BOUND } from './plausible.ts';
import type { StreamEnd } from './pump.ts';
import { punish } from './punish.ts';
import { type Call, endUnsettled, settleAnswer, settleFailure } from './record.ts';
import { elapsedMs } from './request.ts';
import { answerFilter, promptWords, readTexts } from './sensitive.ts';

/** What OpenAI counts where it does not tell: a token a tenth of a second heard, and one a twentieth spoken. */
const HEARD_TOKENS_A_SECOND = 10;
const SPOKEN_TOKENS_A_SECOND = 20;
/** Samples of two bytes at 24,000 a second; telephone sound has one at 8,000. */
const BYTES_A_SECOND = 48_000;
const TELEPHONE_BYTES_A_SECOND = 8_000;
/** Four characters of base64 are three bytes. */
const BYTES_A_CHAR = 3 / 4;

/** No session comes near so many tokens of a kind; sums stay exact numbers whatever is added. */
const SUM_MAX = 1e12;

/** A context grows with every answer, and the next costs more than the last. */
const GROWTH = 1.5;

/** Ways to close of RFC 6455. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const NONE_GIVEN = 1005;
const UNSUPPORTED = 1003;
const POLICY = 1008;
const FAULT = 1011;
const ENDS_WELL = new Set([NORMAL, GOING_AWAY, NONE_GIVEN]);

/** Hands the call over to a session; throws when the caller has gone or too many are open. */
export function replySocket(call: Call, answer: SocketAnswer, deps: RelayDeps): Response {
  const { userId } = call.caller;
  if (!deps.sockets.enter(userId)) {
    answer.socket.close();
    throw fail('OVERLOADED', { retryAfterSec: 5 });
  }
  const session = new Session(call, answer, deps);
  if (call.request.upgrade?.(session)) {
    deps.stopping.track(session.run().finally(() => deps.sockets.leave(userId)));
    return new Response(null);
  }
  deps.sockets.leave(userId);
  answer.socket.close();
  throw fail('client_gone');
}

/** Tells a caller whose upgrade was accepted why there is no session: browsers cannot read anything else. */
export const refusingPeer = (error: AppError, requestId: string): SocketPeer => ({
  opened(socket) {
    socket.send(realtimeError(publicError(error, requestId), requestId));
    socket.close(error.relayStatus >= 500 ? FAULT : POLICY, error.code);
  },
  message: () => undefined,
  closed: () => undefined,
});

const notAnEvent = (): AppError =>
  fail('invalid_request', { params: { reason: 'A session takes events: JSON objects in frames of text.' } });

/** What a caller sent since the last answer began. */
class Sent {
  soundBytes = 0;
  imageTokens = 0;
  readonly text = new KeptText();
}

/** An answer under way. */
interface Turn {
  sent: Sent;
  spokenBytes: number;
  said: KeptText;
  /** Of what is said in it, where answers are looked through for words. */
  scanner?: WordScanner;
}

const hasWord = (event: string, words: WordMatcher): boolean =>
  wordsOfEvent(parseObject(event) ?? {})
    .flatMap((text) => readTexts(text))
    .some((text) => words.find(text) !== null);

class Session implements SocketPeer {
  readonly #call: Call;
  readonly #answer: SocketAnswer;
  readonly #deps: RelayDeps;
  readonly #ended = Promise.withResolvers<{ end: StreamEnd; error: AppError | null }>();
  #client: ServerSocket | null = null;
  #isOver = false;
  /** How the caller's side closes, where its error does not say it. */
  #closeCode: number | undefined;
  #usage = noUsage();
  #isEstimated = false;
  #isSuspect = false;
  #answers = 0;
  /** What was held first: so much is kept ahead. */
  readonly #ahead: number;
  #lastCost = 0;
  /** Counts of answers without usage; and what is being asked of the balance, one at a time. */
  #counting: Promise<void> = Promise.resolve();
  #asking: Promise<void> | null = null;
  #firstSoundMs: number | null = null;
  #bytesASecond = BYTES_A_SECOND;
  /** What the caller sent for the answer that begins next. */
  #sent = new Sent();
  #turn: Turn | null = null;
  /** Paid tools that the caller has named, and how often they were used. */
  #paid: PaidTools = NO_TOOLS;
  readonly #tools = new ToolCounter();

  constructor(call: Call, answer: SocketAnswer, deps: RelayDeps) {
    this.#call = call;
    this.#answer = answer;
    this.#deps = deps;
    this.#ahead = call.held;
  }

  // ---- The caller's side -----------------------------------------------------------------------------------------

  opened(socket: ServerSocket): void {
    this.#client = socket;
    this.#answer.socket.listen({
      message: (data) => this.#fromUpstream(data),
      closed: (code) => this.#end(ENDS_WELL.has(code) ? 'done' : 'upstream_cut'),
    });
  }

  message(data: string | Buffer): void {
    this.#guarded(() => {
      if (typeof data !== 'string') {
        this.#closeCode = UNSUPPORTED;
        return this.#end('done', notAnEvent());
      }
      const event = this.#read(data);
      if (!event) return;
      const text = JSON.stringify(event);
      if (this.#refuses(text)) return;
      this.#hear(event);
      if (!this.#answer.socket.send(text)) this.#end('upstream_cut');
    });
  }

  /** The event as it goes up, which is what was read of it; null for one that goes no further, and its caller is told. */
  #read(text: string): JsonObject | null {
    const event = guardJson(text) === null ? parseObject(text) : undefined;
    if (!event) return this.#refuse(notAnEvent());
    const { body, kept } = ruled(event, openaiRealtime.rules);
    const { candidate, model } = this.#answer;
    if (kept !== undefined && !candidate.channel.setting.sharedContext) {
      return this.#refuse(fail('shared_context_refused', { params: { field: kept } }));
    }
    return withSessionModel(body, model);
  }

  #refuse(error: AppError): null {
    this.#client?.send(this.#errorEvent(error));
    return null;
  }

  closed(code: number): void {
    this.#client = null;
    this.#end(ENDS_WELL.has(code) ? 'done' : 'client_gone');
  }

  /** An event with a word that the operator does not want asked goes no further, and its caller is told. */
  #refuses(text: string): boolean {
    const words = promptWords(this.#deps.options);
    if (!words || !hasWord(text, words)) return false;
    this.#client?.send(this.#errorEvent(this.#sensitive()));
    return true;
  }

  /** The word is the operator's own; of what was said nothing is written. */
  #sensitive(): AppError {
    this.#deps.log.warn('relay.sensitive', { request_id: this.#call.request.id });
    return fail('sensitive_words_detected');
  }

  #errorEvent(error: AppError): string {
    const { id } = this.#call.request;
    return realtimeError(publicError(error, id), id);
  }

  #hear(event: JsonObject): void {
    const { soundChars, texts, images, isTelephone, paid } = readRealtimeSent(event);
    if (paid) this.#mayUse(paid);
    this.#sent.soundBytes += soundChars * BYTES_A_CHAR;
    for (const each of texts) this.#sent.text.add(each);
    for (const image of images) this.#sent.imageTokens += imageTokens(this.#answer.model, image);
    if (isTelephone) this.#bytesASecond = TELEPHONE_BYTES_A_SECOND;
  }

  /** Tools stay paid for once they were named: an answer under way may be using them. */
  #mayUse({ tools }: PaidTools): void {
    const isNew = (tool: PaidTool) => !this.#paid.tools.some(({ as }) => as[0] === tool.as[0]);
    this.#paid = { tools: [...this.#paid.tools, ...tools.filter(isNew)], together: null };
    this.#cover();
  }

  // ---- The upstream's side ---------------------------------------------------------------------------------------

  #fromUpstream(data: string | Uint8Array): void {
    this.#guarded(() => {
      // No event of this wire is binary, and nobody would count what one says.
      if (typeof data !== 'string') return;
      this.#watch(data);
      const shown = this.#filtered(withErrorsTold(data, this.#told));
      if (shown === null) this.#end('done', this.#sensitive());
      else this.#client?.send(shown);
    });
  }

  /**
   * What the caller may hear; null where the session must end: the sound of a word is out before the word is read, so
   * that there is nothing to take back.
   */
  #filtered(text: string): string | null {
    const { options } = this.#deps;
    const asked = promptWords(options);
    const answered = answerFilter(options);
    const said = asked || answered ? realtimeSaid(text) : null;
    if (said === 'heard') return asked && hasWord(text, asked) ? null : text;
    if (said !== 'answer' || !answered) return text;
    const event = parseObject(text) ?? {};
    // A word may come in two pieces.
    const isSplit = typeof event.delta === 'string' && this.#scan(event.delta, answered.words);
    if (!isSplit && !hasWord(text, answered.words)) return text;
    return answered.stops ? null : withWordsShown(event, (inner) => filteredText(inner, answered));
  }

  /** True when what was said so far in this answer ends with a word. */
  #scan(delta: string, words: WordMatcher): boolean {
    if (!this.#turn) return false;
    this.#turn.scanner ??= words.scanner();
    return this.#turn.scanner.push(delta).length > 0;
  }

  /** An error of the upstream's as the caller may hear of it; null for one that may pass. Codes may condemn the key; words may be the caller's own. */
  readonly #told = (error: UpstreamErrorBody): PublicError | null => {
    const { candidate, hidden } = this.#answer;
    const { request } = this.#call;
    const failure = judged(failureOfAnswer(error, hidden()), request, this.#deps);
    punish(candidate, { ...failure, finalWords: null }, this.#deps);
    const said = publicError(failure.error, request.id);
    if (failure.error.code === 'upstream_auth') return said;
    const message = wordsForCallers(error.message, hidden());
    return message === error.message ? null : { ...said, ...error, message };
  };

  /** Nobody stands above the events of a socket: what is thrown there would end the process, not this session. */
  #guarded(work: () => void): void {
    if (this.#isOver) return;
    try {
      work();
    } catch (error) {
      this.#fault(error);
    }
  }

  #fault(error: unknown): void {
    this.#deps.log.error('relay.session', { request_id: this.#call.request.id, error });
    this.#end('upstream_cut', toRelayError(error));
  }

  #watch(text: string): void {
    if (this.#paid.tools.length > 0 && this.#tools.hear(text)) this.#cover();
    const event = readRealtimeEvent(text, parseJson);
    switch (event.kind) {
      case 'created':
        this.#begun();
        break;
      case 'sound':
        this.#begun().spokenBytes += text.length * BYTES_A_CHAR;
        this.#firstSoundMs ??= elapsedMs(this.#call.request);
        break;
      case 'text':
        this.#begun().said.add(event.text);
        this.#firstSoundMs ??= elapsedMs(this.#call.request);
        break;
      case 'heard': {
        const usage = plausible(event.usage, SESSION_BOUND);
        if (usage) this.#add(usage);
        break;
      }
      case 'done': {
        this.#firstSoundMs ??= elapsedMs(this.#call.request);
        const turn = this.#begun();
        this.#turn = null;
        this.#answers++;
        const usage = plausible(event.usage, SESSION_BOUND);
        if (usage) this.#add(usage);
        else this.#countHere(turn, event.text);
        this.#isSuspect ||= event.usage !== null && !usage;
      }
    }
  }

  /** The answer under way: it is to what the caller had sent when it began. */
  #begun(): Turn {
    if (!this.#turn) {
      this.#turn = { sent: this.#sent, spokenBytes: 0, said: new KeptText() };
      this.#sent = new Sent();
    }
    return this.#turn;
  }

  /** An answer whose usage the upstream did not tell; `told` is what it said, where that came whole. */
  #countHere({ sent, spokenBytes, said }: Turn, told = ''): void {
    const { model } = this.#answer;
    const seconds = (bytes: number) => bytes / this.#bytesASecond;
    const inputAudio = Math.ceil(seconds(sent.soundBytes) * HEARD_TOKENS_A_SECOND);
    const outputAudio = Math.ceil(seconds(spokenBytes) * SPOKEN_TOKENS_A_SECOND);
    const written = async (): Promise<number> => {
      // What was spoken is told as text too.
      if (spokenBytes > 0) return 0;
      return told === '' ? said.tokens(model) : countProduced({ text: told, toolCalls: 0 }, model);
    };
    this.#isEstimated = true;
    this.#counting = this.#counting
      .then(async () => {
        const input = (await sent.text.tokens(model)) + sent.imageTokens;
        this.#add({ ...noUsage(), input, inputAudio, output: await written(), outputAudio });
      })
      .catch((error: unknown) => this.#fault(error));
  }

  // ---- Money -----------------------------------------------------------------------------------------------------

  #add(more: Usage): void {
    const before = this.#spent;
    const sum = noUsage();
    for (const key of Object.keys(sum) as (keyof Usage)[]) {
      sum[key] = Math.min(this.#usage[key] + more[key], SUM_MAX);
    }
    this.#usage = sum;
    this.#lastCost = Math.max(this.#spent - before, 0);
    this.#cover();
  }

  get #hasUsed(): boolean {
    return promptTokens(this.#usage) + completionTokens(this.#usage) > 0;
  }

  get #spent(): number {
    const { quote, toolPrices } = this.#call;
    const { uses } = believedUses(this.#tools.uses, this.#paid, this.#usualUses);
    return quotaOf(withTools(quote, uses, toolPrices), this.#usage, this.#answers);
  }

  get #usualUses(): UsualUses {
    return this.#deps.options.get('ToolMaxUses');
  }

  /** What the tools of the session may cost in its next answer. */
  get #toolsAhead(): number {
    const { quote, toolPrices } = this.#call;
    return toolCost(quote, dearestUses(this.#paid, toolPrices, this.#usualUses), toolPrices);
  }

  /** Holds enough for the next answer; a session for which that cannot be done ends. */
  #cover(): void {
    if (this.#asking || this.#isOver) return;
    const ahead = Math.max(this.#ahead, Math.ceil(this.#lastCost * GROWTH)) + this.#toolsAhead;
    const amount = this.#spent + ahead - this.#call.held;
    if (amount <= 0) return;
    const { request, caller } = this.#call;
    const { userId, tokenId } = caller;
    this.#asking = this.#deps.billing.extend({ id: request.id, userId, tokenId, amount }).then(
      (result) => {
        this.#asking = null;
        if (result === 'refused') return this.#end('exhausted');
        this.#call.held += amount;
        this.#cover();
      },
      (error: unknown) => {
        // The database is away: what was said is charged when it is back, and no more is taken on.
        this.#asking = null;
        this.#deps.log.warn('relay.extend', { request_id: request.id, error });
        this.#end('timeout', toRelayError(error));
      },
    );
  }

  // ---- The end ---------------------------------------------------------------------------------------------------

  #end(end: StreamEnd, error: AppError | null = null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended.resolve({ end, error: error ?? errorOf(end) });
  }

  /** Resolves when the session has closed and been settled. Call it once the caller's side is there. Never rejects. */
  async run(): Promise<void> {
    const timer = setTimeout(() => this.#end('timeout'), limits.sessionMs);
    const uncut = this.#deps.cut.onCut(() => this.#end('timeout', fail('stopping')));
    const { end, error } = await this.#ended.promise;
    clearTimeout(timer);
    uncut();
    this.#answer.socket.close();
    try {
      await this.#settle(end, error);
      this.#sayGoodbye(error);
    } catch (fault) {
      this.#sayGoodbye(await endUnsettled(this.#call, fault, this.#deps, end));
    }
  }

  /** After this nothing is asked of the balance any more. */
  async #settle(end: StreamEnd, error: AppError | null): Promise<void> {
    // An answer under way is paid as far as it came; one that broke off before it said anything costs nothing.
    const turn = this.#turn;
    if (turn && !(end === 'upstream_cut' && turn.spokenBytes === 0 && turn.said.isEmpty)) {
      this.#answers++;
      this.#countHere(turn);
    }
    await this.#counting;
    await this.#asking;
    const { candidate, model } = this.#answer;
    if (this.#answers === 0 && !this.#hasUsed && error)
      return settleFailure(this.#call, error, this.#deps, end);
    await settleAnswer(
      this.#call,
      {
        candidate,
        model,
        converted: null,
        usage: this.#usage,
        paid: this.#paid,
        tools: this.#tools.uses,
        usageSource: this.#isEstimated ? 'estimated' : 'upstream',
        suspect: this.#isSuspect,
        calls: this.#answers,
        streamEnd: end,
        firstContentMs: this.#firstSoundMs,
      },
      this.#deps,
    );
  }

  #sayGoodbye(error: AppError | null): void {
    if (error) this.#client?.send(this.#errorEvent(error));
    const code = error === null ? NORMAL : error.relayStatus < 500 ? POLICY : FAULT;
    this.#client?.close(this.#closeCode ?? code, error?.code ?? '');
  }
}

/** What the caller is told; null where nothing went wrong, or nobody is there. */
function errorOf(end: StreamEnd): AppError | null {
  switch (end) {
    case 'exhausted':
      return fail('insufficient_user_quota');
    case 'timeout':
      return fail('upstream_timeout');
    case 'upstream_cut':
      return fail('upstream_cut');
    default:
      return null;
  }
}
