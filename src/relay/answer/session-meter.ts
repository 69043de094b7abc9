/**
 * What a Realtime session uses, added up as its events pass, and what is held for it: always enough for its next answer,
 * or the session ends.
 */
import type { AppError } from '../../core/errors.ts';
import { type JsonObject, parseJson } from '../../core/json.ts';
import { imageTokens } from '../../core/media-tokens.ts';
import {
  believedUses,
  dearestUses,
  eitherOf,
  NO_TOOLS,
  type PaidTools,
  sumOf,
  type UsualUses,
} from '../../core/paid-tools.ts';
import { quotaOf, type ToolUses, toolCost, withTools } from '../../core/price-formula.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { readRealtimeEvent } from '../../dialects/plain/openai-realtime.ts';
import { readRealtimeSent } from '../../dialects/plain/realtime-sent.ts';
import { ToolCounter } from '../../dialects/tool-uses.ts';
import type { Call, StreamEnd } from '../charge/call.ts';
import { countProduced } from '../charge/count.ts';
import { extend } from '../charge/extend.ts';
import { KeptText } from '../charge/kept-text.ts';
import { MOST_OF_SESSION, plausible } from '../charge/plausible.ts';
import type { Produced } from '../charge/record.ts';
import type { RelayDeps } from '../deps.ts';
import { elapsedMs } from '../request.ts';
import { toRelayError } from './error-reply.ts';

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
}

/** Whom the meter tells when the session cannot go on. */
export interface SessionOwner {
  end(end: StreamEnd, error?: AppError): void;
  fault(error: unknown): void;
}

/** What a session came to. */
export type SessionUse = Pick<
  Produced,
  'usage' | 'uses' | 'usageSource' | 'suspect' | 'calls' | 'firstContentMs'
>;

export class SessionMeter {
  readonly #call: Call;
  /** The upstream's name of the model. */
  readonly #model: string;
  readonly #deps: RelayDeps;
  readonly #owner: SessionOwner;
  #isClosed = false;
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
  /** Paid tools that the caller has named; what earlier answers used of them, and what the one under way does. */
  #paid: PaidTools = NO_TOOLS;
  #uses: ToolUses = {};
  #using = new ToolCounter();

  constructor(call: Call, model: string, deps: RelayDeps, owner: SessionOwner) {
    this.#call = call;
    this.#model = model;
    this.#deps = deps;
    this.#owner = owner;
    this.#ahead = call.held;
  }

  /** An answer is under way. */
  get isAnswering(): boolean {
    return this.#turn !== null;
  }

  /** An event of the caller's, as it goes up. */
  hear(event: JsonObject): void {
    const { soundChars, texts, images, isTelephone, paid } = readRealtimeSent(event);
    if (paid) this.#mayUse(paid);
    this.#sent.soundBytes += soundChars * BYTES_A_CHAR;
    for (const each of texts) this.#sent.text.add(each);
    for (const image of images) this.#sent.imageTokens += imageTokens(this.#model, image);
    if (isTelephone) this.#bytesASecond = TELEPHONE_BYTES_A_SECOND;
  }

  /** Tools stay paid for once they were named: an answer under way may be using them. */
  #mayUse(paid: PaidTools): void {
    this.#paid = eitherOf(this.#paid, paid);
    this.#cover();
  }

  /** An event of the upstream's, as it came. */
  watch(text: string): void {
    if (this.#paid.tools.length > 0 && this.#using.hear(text)) this.#cover();
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
        const usage = plausible(event.usage, MOST_OF_SESSION);
        if (usage) this.#add(usage);
        break;
      }
      case 'done': {
        this.#firstSoundMs ??= elapsedMs(this.#call.request);
        const turn = this.#begun();
        this.#turn = null;
        this.#answers++;
        this.#sumUses();
        const usage = plausible(event.usage, MOST_OF_SESSION);
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
    const model = this.#model;
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
      .catch((error: unknown) => this.#owner.fault(error));
  }

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

  get #spent(): number {
    const { quote, toolPrices } = this.#call;
    const uses = sumOf(this.#uses, this.#believed.uses);
    return quotaOf(withTools(quote, uses, toolPrices), this.#usage, this.#answers);
  }

  /** What the answer under way has used of the tools: an answer has its bound, however many there are in a session. */
  get #believed(): ReturnType<typeof believedUses> {
    return believedUses(this.#using.uses, this.#paid, this.#usualUses);
  }

  #sumUses(): void {
    const { uses, suspect } = this.#believed;
    this.#uses = sumOf(this.#uses, uses);
    this.#isSuspect ||= suspect;
    this.#using = new ToolCounter();
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
    if (this.#asking || this.#isClosed) return;
    const ahead = Math.max(this.#ahead, Math.ceil(this.#lastCost * GROWTH)) + this.#toolsAhead;
    const amount = this.#spent + ahead - this.#call.held;
    if (amount <= 0) return;
    this.#asking = extend(this.#call, amount, this.#deps).then(
      (result) => {
        this.#asking = null;
        if (result === 'refused') return this.#owner.end('exhausted');
        this.#call.held += amount;
        this.#cover();
      },
      (error: unknown) => {
        // The database is away: what was said is charged when it is back, and no more is taken on.
        this.#asking = null;
        this.#deps.log.warn('relay.extend', { request_id: this.#call.request.id, error });
        this.#owner.end('timeout', toRelayError(error));
      },
    );
  }

  // ---- The end ---------------------------------------------------------------------------------------------------

  /** From here on nothing more is held. */
  close(): void {
    this.#isClosed = true;
  }

  /** What it came to, once it is closed. After this nothing is asked of the balance any more. */
  async total(end: StreamEnd): Promise<SessionUse> {
    // An answer under way is paid as far as it came; one that broke off before it said anything costs nothing.
    const turn = this.#turn;
    if (turn && !(end === 'upstream_cut' && turn.spokenBytes === 0 && turn.said.isEmpty)) {
      this.#answers++;
      this.#countHere(turn);
    }
    this.#sumUses();
    await this.#counting;
    await this.#asking;
    return {
      usage: this.#usage,
      uses: this.#uses,
      usageSource: this.#isEstimated ? 'estimated' : 'upstream',
      suspect: this.#isSuspect,
      calls: this.#answers,
      firstContentMs: this.#firstSoundMs,
    };
  }
}
