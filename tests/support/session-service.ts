/** A Realtime service and an account between which a session's meter is, and what may be done with them in tests. */
import fc from 'fast-check';
import type { Hold, ReserveResult } from '../../src/billing/billing.ts';
import type { CallQuote } from '../../src/billing/price.ts';
import { contextOf } from '../../src/core/contexts.ts';
import { DECIMAL_ONE, decimalOf } from '../../src/core/decimal.ts';
import { AppError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { mostAfter, OUTPUT_AT_ONCE } from '../../src/core/price-bound.ts';
import type { TokenRatios } from '../../src/core/price-formula.ts';
import { noUsage } from '../../src/core/usage.ts';
import { type Refused, SessionMeter } from '../../src/relay/answer/session-meter.ts';
import type { Transcriber } from '../../src/relay/answer/transcriber.ts';
import type { StreamEnd } from '../../src/relay/charge/call.ts';

export const factor = (value: number) => decimalOf(value) ?? DECIMAL_ONE;
export const ratios = (model: number): TokenRatios => ({
  model: factor(model),
  completion: factor(4),
  cacheRead: factor(0.5),
  cacheReadAudio: factor(0.5),
  cacheWrite: factor(1),
  cacheWriteHour: factor(1),
  audio: factor(8),
  audioCompletion: factor(2),
  image: factor(1),
  imageCompletion: factor(1),
  video: factor(1),
});
export const quote = (price: CallQuote['price']): CallQuote => ({
  sold: 'gpt-realtime',
  price,
  groupRatio: DECIMAL_ONE,
  userGroupRatio: null,
  source: 'option',
  selfUse: false,
});
export const PLAIN = quote({ kind: 'tokens', ratios: ratios(1) });
export const TIERED = quote({
  kind: 'tokens',
  ratios: ratios(1),
  tiers: [
    { upTo: 3_000, ratios: ratios(1) },
    { upTo: null, ratios: ratios(3) },
  ],
});
export const CALLED = quote({ kind: 'call', usd: factor(0.01) });

/** An upstream at which tokens are counted. */
const CHANNEL = { type: 1, baseUrl: 'https://api.openai.com' };

export const MOST = 4_096;
export const ANSWER = { prompt: { text: 3, audio: 0, image: 0 }, output: MOST, answers: 1 };

/** An account whose answers take a while. */
class Bank {
  held = 0;
  asking = 0;
  constructor(
    readonly balance: number,
    readonly slowness: () => number,
  ) {}

  async extend({ amount }: Hold): Promise<ReserveResult> {
    this.asking++;
    for (let left = this.slowness(); left > 0; left--) await Bun.sleep(0);
    this.asking--;
    if (this.held + amount > this.balance) return 'refused';
    this.held += amount;
    return 'granted';
  }
}

export interface Doing {
  what:
    | 'say'
    | 'set'
    | 'cut'
    | 'ask'
    | 'begin'
    | 'unasked'
    | 'speak'
    | 'sound'
    | 'done'
    | 'cancel'
    | 'untold'
    | 'wait';
  /** Which of the answers. */
  at: number;
  size: number;
  isApart: boolean;
  hasOwn: boolean;
  /** It is told something else than the session. */
  instead: 'instructions' | 'tools' | 'prompt' | null;
  cap: number | null;
  /** So often an input of its own names one item, which is all of the conversation. */
  named: number;
}
export const anyDoing: fc.Arbitrary<Doing> = fc.record({
  what: fc.constantFrom(
    'say',
    'set',
    'cut',
    'ask',
    'ask',
    'begin',
    'begin',
    'unasked',
    'speak',
    'sound',
    'done',
    'cancel',
    'untold',
    'wait',
  ),
  at: fc.nat(5),
  size: fc.oneof(fc.nat(MOST), fc.constant(MOST)),
  isApart: fc.boolean(),
  hasOwn: fc.boolean(),
  instead: fc.constantFrom(null, null, 'instructions' as const, 'tools' as const, 'prompt' as const),
  cap: fc.option(fc.integer({ min: 1, max: MOST })),
  named: fc.constantFrom(0, 0, 1, 2, 3),
});

/** All of it fresh, and all that is said is sound. */
const usageOf = ({ text, audio }: Read, spoken: number): JsonObject => ({
  input_tokens: text + audio,
  output_tokens: spoken,
  input_token_details: { text_tokens: text, audio_tokens: audio },
  output_token_details: { audio_tokens: spoken },
});

/** Of the upstream: what it reads and may say. */
interface Served {
  id: string;
  isApart: boolean;
  /** What it reads in the place of the conversation, and how much of that is there for those after it. */
  own: Read | null;
  stays: number;
  insteadOf: Doing['instead'];
  cap: number;
  input: Read;
  said: Read;
}

/** Tokens of text and of sound. */
interface Read {
  text: number;
  audio: number;
}

/** No model reads more at once. */
const CONTEXT = contextOf('gpt-realtime');

export const NOTHING: Read = { text: 0, audio: 0 };
const tokensOf = ({ text, audio }: Read): number => text + audio;

export const ASK: Doing = {
  what: 'ask',
  at: 0,
  size: 0,
  isApart: true,
  hasOwn: true,
  instead: null,
  cap: null,
  named: 0,
};

const REFERENCE = { type: 'item_reference', id: 'item_1' };

/** What answers are told in the place of what the session is. */
const INSTEAD = { instructions: 'word', tools: [], prompt: { id: 'pmpt_1' } };

/** Answers read no more than so much of the conversation; null for all of it. */
export const truncated = (tokens: number | null): JsonObject => ({
  type: 'session.update',
  session: {
    truncation:
      tokens === null ? 'auto' : { type: 'retention_ratio', token_limits: { post_instructions: tokens } },
  },
});

/** A service that keeps to what it was asked, in any order that it likes, between the meter and a bank. */
export class Service {
  readonly bank: Bank;
  readonly meter: SessionMeter;
  readonly call;
  /** How often it was asked what is usual of a tool. */
  looks = 0;
  ended: StreamEnd | null = null;
  context = NOTHING;
  /** Tokens of what every answer is told that is told nothing else. */
  standing = { instructions: 0, tools: 0, prompt: 0 };
  /** Tokens of each kind that answers read of the conversation. */
  room = Number.POSITIVE_INFINITY;
  answers = 0;
  /** Of the answers whose usage it told; and what others have said. */
  toldIn = 0;
  toldOut = 0;
  isAllTold = true;
  /** Two answers of the conversation were under way, of which no service has more than one. */
  isCrowded = false;
  /** Events that may or may not have gone up. */
  onItsWay = 0;
  waiting: Served[] = [];
  running: Served[] = [];
  #caller: Promise<void> = Promise.resolve();

  constructor(
    given: CallQuote,
    balance: number,
    slowness: () => number,
    readonly answersAlone: boolean,
    readonly thinksUnseen = false,
  ) {
    this.bank = new Bank(balance, slowness);
    this.bank.held = mostAfter(given, noUsage(), 0, { ...ANSWER, output: this.most });
    this.call = {
      request: { id: 'r', startedAt: performance.now() },
      caller: { userId: 1, tokenId: 1 },
      quote: given,
      toolPrices: {},
      held: this.bank.held,
    };
    const usual = new Proxy({}, { getOwnPropertyDescriptor: () => void this.looks++ });
    const deps = { billing: this.bank, options: { get: () => usual }, log: { warn: () => undefined } };
    this.meter = new SessionMeter(
      this.call,
      { model: 'gpt-realtime', thinksUnseen, channel: CHANNEL },
      deps,
      {
        end: (end) => {
          this.ended ??= end;
          this.meter.close();
        },
        fault: (error) => {
          throw error;
        },
      },
    );
    if (!answersAlone) this.tell({ type: 'session.created', session: { turn_detection: null } });
  }

  /** Tokens of its longest answer. */
  get most(): number {
    return this.thinksUnseen ? OUTPUT_AT_ONCE : MOST;
  }

  tell(event: JsonObject): void {
    if (this.ended === null) this.meter.watch(JSON.stringify(event));
  }

  async hear(event: JsonObject, transcriber = this.meter.transcriber): Promise<Refused> {
    try {
      return await this.meter.hear(this.meter.read({ event, transcriber }));
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /** An answer that is asked for so begins, by this name; `conversation_id` is null for one beside the conversation. */
  async begins(id: string, response: JsonObject, conversation_id: string | null = 'conv'): Promise<void> {
    await this.hear({ type: 'response.create', response: { max_output_tokens: 1, ...response } });
    this.tell({ type: 'response.created', response: { id, conversation_id } });
  }

  /** It ends, and tells how much it has read and said. */
  ends(id: string, input_tokens: number, output_tokens = 1): void {
    const usage = { input_tokens, output_tokens };
    this.tell({ type: 'response.done', response: { id, status: 'completed', usage } });
  }

  /** As a session does it: what comes after waits until it is held. */
  say(event: JsonObject, onceUp: () => void, transcriber?: Transcriber): void {
    this.onItsWay++;
    this.#caller = this.#caller.then(async () => {
      const isPassed = this.ended === null && (await this.hear(event, transcriber)) === null;
      if (isPassed && this.ended === null) onceUp();
      this.onItsWay--;
    });
  }

  async quiet(): Promise<void> {
    await this.#caller;
    while (this.bank.asking > 0) await Bun.sleep(0);
  }

  async run({ what, at, size, isApart, hasOwn, instead, cap, named }: Doing): Promise<void> {
    const answer = this.running[at % Math.max(this.running.length, 1)];
    const content = [{ type: 'input_text', text: 'word '.repeat(size) }];
    switch (what) {
      case 'say':
        return this.say({ type: 'conversation.item.create', item: { content } }, () => {
          this.context = { ...this.context, text: this.context.text + size };
        });
      case 'set':
        return this.say({ type: 'session.update', session: { instructions: content[0]?.text ?? '' } }, () => {
          this.standing = { ...this.standing, instructions: size };
        });
      case 'cut': {
        // Every answer reads something.
        const room = isApart ? size + 1 : Number.POSITIVE_INFINITY;
        return this.say(truncated(isApart ? room : null), () => {
          this.room = room;
        });
      }
      case 'ask': {
        const response = {
          ...(hasOwn && { input: [{ content }, ...Array(named).fill(REFERENCE)] }),
          ...(instead && { [instead]: INSTEAD[instead] }),
          ...(isApart && { conversation: 'none' }),
          ...(cap && { max_output_tokens: cap }),
        };
        return this.say({ type: 'response.create', response }, () => {
          // What is named is looked up as it is asked for.
          const { text, audio } = this.context;
          const byName = (tokens: number) => Math.min(named * tokens, CONTEXT);
          const own = { text: size + byName(text), audio: byName(audio) };
          const asked = { isApart, own: hasOwn ? own : null, stays: hasOwn ? size : 0, insteadOf: instead };
          this.waiting.push({
            id: '',
            ...asked,
            cap: cap ?? this.most,
            input: NOTHING,
            said: { ...NOTHING },
          });
        });
      }
      case 'begin': {
        const [next] = this.waiting.splice(at % Math.max(this.waiting.length, 1), 1);
        if (next) this.#begin(next);
        return;
      }
      case 'unasked': {
        // Somebody speaks in between.
        await this.quiet();
        if (!this.answersAlone || this.running.concat(this.waiting).some((each) => !each.isApart)) return;
        const { most: cap } = this;
        const unasked = { isApart: false, own: null, stays: 0, insteadOf: null };
        return this.#begin({ id: '', ...unasked, cap, input: NOTHING, said: { ...NOTHING } });
      }
      case 'speak':
        if (answer) this.#write(answer, Math.ceil(size / 20));
        return;
      case 'sound':
        if (answer) this.#speak(answer, Math.ceil(size / 200));
        return;
      case 'done':
      case 'cancel':
      case 'untold':
        if (answer) this.#end(answer, what, size);
        return;
      case 'wait':
        for (let left = at; left > 0; left--) await Bun.sleep(0);
    }
  }

  #write({ id: response_id, said, cap }: Served, tokens: number): void {
    const more = Math.min(tokens, cap - tokensOf(said));
    said.text += more;
    this.tell({ type: 'response.output_text.delta', response_id, delta: 'word '.repeat(more) });
  }

  /** A twentieth of a second each, which is told in words, too. */
  #speak({ id: response_id, said, cap }: Served, tokens: number): void {
    const more = Math.min(tokens, cap - tokensOf(said));
    said.audio += more;
    const delta = 'A'.repeat(3_200 * more);
    this.tell({ type: 'response.output_audio_transcript.delta', response_id, delta: 'word '.repeat(more) });
    this.tell({ type: 'response.output_audio.delta', response_id, delta });
  }

  #begin(answer: Served): void {
    if (this.ended !== null) return;
    answer.id = `resp_${this.answers++}`;
    const left = (tokens: number) => Math.min(tokens, this.room);
    const inConversation = { text: left(this.context.text), audio: left(this.context.audio) };
    const { text, audio } = answer.own ?? inConversation;
    const standing = { ...this.standing, ...(answer.insteadOf && { [answer.insteadOf]: 0 }) };
    answer.input = { text: text + standing.instructions + standing.tools + standing.prompt, audio };
    // What it brings along may stay.
    if (!answer.isApart) this.#goOnWith({ text: answer.stays, audio: 0 });
    this.isCrowded ||= !answer.isApart && this.running.some((each) => !each.isApart);
    this.running.push(answer);
    const conversation_id = answer.isApart ? null : 'conv';
    this.tell({ type: 'response.created', response: { id: answer.id, conversation_id } });
  }

  /**
   * A conversation is made of items, which thoughts are not (OpenAI's guide to the costs of Realtime): what was broken off
   * leaves what it said. Of what was told, nobody knows how much was thought.
   */
  #goOnWith({ text, audio }: Read): void {
    this.context = { text: this.context.text + text, audio: this.context.audio + audio };
  }

  #end(answer: Served, how: 'done' | 'cancel' | 'untold', size: number): void {
    this.running = this.running.filter((each) => each !== answer);
    const { id, isApart, input } = answer;
    // What was thought, it tells at the end.
    const thought = this.thinksUnseen ? (size / MOST) * answer.cap : 0;
    const came = how === 'done' ? Math.max(size, thought) : thought;
    const output = Math.max(tokensOf(answer.said), Math.min(Math.ceil(came), answer.cap));
    const status = how === 'done' ? 'completed' : 'cancelled';
    const usage = how === 'untold' ? null : usageOf(input, output);
    if (this.ended === null) {
      if (usage) {
        this.toldIn += input.text + input.audio;
        this.toldOut += output;
        // No prompt of an answer is no word of it: what was sent by the time that it began is counted.
        if (input.text + input.audio === 0 && output > 0) this.isAllTold = false;
      } else {
        this.isAllTold = false;
        this.toldOut += tokensOf(answer.said);
      }
    }
    if (!isApart) this.#goOnWith(usage ? { text: 0, audio: output } : answer.said);
    const conversation_id = isApart ? null : 'conv';
    this.tell({ type: 'response.done', response: { id, status, usage, conversation_id, output: [] } });
  }
}
