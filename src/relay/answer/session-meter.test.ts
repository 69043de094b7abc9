import { describe, expect, it, spyOn } from 'bun:test';
import fc from 'fast-check';
import type { Hold, ReserveResult } from '../../billing/billing.ts';
import { DECIMAL_ONE, decimalOf } from '../../core/decimal.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import {
  mostAfter,
  OUTPUT_AT_ONCE,
  type Quote,
  quotaOf,
  type TokenRatios,
} from '../../core/price-formula.ts';
import { completionTokens, noUsage, promptTokens } from '../../core/usage.ts';
import type { StreamEnd } from '../charge/call.ts';
import { type Refused, SessionMeter } from './session-meter.ts';
import type { Transcriber } from './transcriber.ts';

const of = (value: number) => decimalOf(value) ?? DECIMAL_ONE;
const ratios = (model: number): TokenRatios => ({
  model: of(model),
  completion: of(4),
  cacheRead: of(0.5),
  cacheWrite: of(1),
  cacheWriteHour: of(1),
  audio: of(8),
  audioCompletion: of(2),
  image: of(1),
  imageCompletion: of(1),
  video: of(1),
});
const quote = (price: Quote['price']): Quote => ({
  price,
  groupRatio: DECIMAL_ONE,
  userGroupRatio: null,
  source: 'option',
  selfUse: false,
});
const PLAIN = quote({ kind: 'tokens', ratios: ratios(1) });
const TIERED = quote({
  kind: 'tokens',
  ratios: ratios(1),
  tiers: [
    { upTo: 3_000, ratios: ratios(1) },
    { upTo: null, ratios: ratios(3) },
  ],
});
const CALLED = quote({ kind: 'call', usd: of(0.01) });

const MOST = 4_096;
const ANSWER = { prompt: { text: 3, audio: 0, image: 0 }, output: MOST, answers: 1 };

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

interface Doing {
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
const anyDoing: fc.Arbitrary<Doing> = fc.record({
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

const NOTHING: Read = { text: 0, audio: 0 };
const tokensOf = ({ text, audio }: Read): number => text + audio;

const ASK: Doing = {
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
const truncated = (tokens: number | null): JsonObject => ({
  type: 'session.update',
  session: {
    truncation:
      tokens === null ? 'auto' : { type: 'retention_ratio', token_limits: { post_instructions: tokens } },
  },
});

/** A service that keeps to what it was asked, in any order that it likes, between the meter and a bank. */
class Service {
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
    given: Quote,
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
    this.meter = new SessionMeter(this.call, { model: 'gpt-realtime', thinksUnseen }, deps, {
      end: (end) => {
        this.ended ??= end;
        this.meter.close();
      },
      fault: (error) => {
        throw error;
      },
    });
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
        const room = isApart ? size : Number.POSITIVE_INFINITY;
        return this.say(truncated(isApart ? size : null), () => {
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
          const own = { text: size + named * text, audio: named * audio };
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

/** What is done, and how the session ends that nothing has ended by then. */
interface Course {
  given: Quote;
  doings: readonly Doing[];
  /** What its caller has beyond the cost of one answer, in hundredths of that. */
  percent: number;
  slowness: () => number;
  answersAlone: boolean;
  end: StreamEnd;
  thinks: boolean;
}

describe('what is held for a realtime session', () => {
  const covers = async ({
    given,
    doings,
    percent,
    slowness,
    answersAlone,
    end,
    thinks,
  }: Course): Promise<void> => {
    const output = thinks ? OUTPUT_AT_ONCE : MOST;
    const one = mostAfter(given, noUsage(), 0, { ...ANSWER, output });
    const balance = one + Math.ceil((one * percent) / 100);
    const service = new Service(given, balance, slowness, answersAlone, thinks);
    for (const doing of doings) {
      if (service.ended !== null) break;
      await service.run(doing);
    }
    const begun = service.running.length;
    const beingRead = service.running.reduce((sum, { input }) => sum + input.text + input.audio, 0);
    const { onItsWay } = service;
    // The balance has ended it, or its caller.
    const by = service.ended === null && end === 'upstream_cut' ? 'upstream' : 'caller';
    service.ended ??= end;
    service.meter.close();
    const { usage, calls } = await service.meter.total(service.ended, by);
    const cost = quotaOf(given, usage, calls);
    expect(service.call.held).toBe(service.bank.held);
    expect(cost).toBeLessThanOrEqual(service.bank.held);
    expect(calls).toBeLessThanOrEqual(service.answers);
    const read = end === 'upstream_cut' || service.isCrowded ? 0 : beingRead;
    expect(promptTokens(usage)).toBeGreaterThanOrEqual(service.toldIn + read);
    expect(completionTokens(usage)).toBeGreaterThanOrEqual(service.toldOut);
    // What the balance has ended may have been heard already and not gone up yet.
    if (service.ended === 'exhausted') return;
    if (begun + service.waiting.length + onItsWay > 0 || !service.isAllTold) return;
    expect([promptTokens(usage), completionTokens(usage)]).toEqual([service.toldIn, service.toldOut]);
  };

  it('covers what it costs, whatever comes after what, and no answer is charged twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          given: fc.constantFrom(PLAIN, TIERED, CALLED),
          doings: fc.array(anyDoing, { maxLength: 40 }),
          percent: fc.integer({ min: 0, max: 400 }),
          answersAlone: fc.boolean(),
          end: fc.constantFrom<StreamEnd[]>('done', 'client_gone', 'upstream_cut'),
          thinks: fc.boolean(),
        }),
        fc.infiniteStream(fc.nat(3)),
        (course, slowness) => covers({ ...course, slowness: () => slowness.next().value }),
      ),
      { numRuns: 1_000 },
    );
  });

  it.each<[what: string, thinks: boolean, before: Doing[]]>([
    ['has thought, which no other one reads', true, [{ ...ASK, what: 'untold', size: 376 }]],
    [
      'has said, which the next one reads',
      false,
      [...Array<Doing>(16).fill({ ...ASK, what: 'speak', size: MOST }), { ...ASK, what: 'untold' }],
    ],
    [
      'has said, before that is counted',
      false,
      [
        { ...ASK, what: 'speak', size: MOST },
        { ...ASK, what: 'untold' },
      ],
    ],
  ])('covers what an answer without usage %s', async (_, thinks, before) => {
    const unasked: Doing = { ...ASK, what: 'unasked' };
    const doings = [unasked, ...before, unasked, { ...ASK, what: 'done' as const, size: MOST }];
    const given = TIERED;
    await covers({ given, doings, percent: 100, slowness: () => 0, answersAlone: true, end: 'done', thinks });
  });

  it('charges an answer without usage what those before it without any have read and said', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    await service.run({ ...ASK, what: 'say', size: 1_000 });
    for (let answers = 0; answers < 3; answers++) {
      await service.run({ ...ASK, isApart: false });
      await service.quiet();
      await service.run({ ...ASK, what: 'begin' });
      await service.run({ ...ASK, what: 'speak', size: 2_000 });
      await service.run({ ...ASK, what: 'untold' });
    }
    service.meter.close();
    const { usage, calls } = await service.meter.total('done', 'caller');
    expect(calls).toBe(3);
    expect(usage.input).toBeWithin(1_000 + 1_100 + 1_200, 3_400);
    expect(usage.output).toBeWithin(300, 320);
  });

  const calling = { type: 'function_call', name: '', arguments: 'word '.repeat(1_000) };
  const speaking = { type: 'message', content: [{ transcript: 'word '.repeat(500) }] };
  it.each<[what: string, output: JsonObject[]]>([
    ['in pieces', []],
    ['at its end', [speaking, calling]],
    ['at its end in part', [speaking]],
  ])('counts what an answer writes beside what it speaks, told %s', async (_, output) => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const begin = (id: string) =>
      service.tell({ type: 'response.created', response: { id, conversation_id: 'conv' } });
    const piece = (kind: string, delta: string) =>
      service.tell({ type: `response.${kind}.delta`, response_id: 'a', delta });
    begin('a');
    piece('output_audio_transcript', 'word '.repeat(500));
    piece('output_audio', Buffer.alloc(47_000).toString('base64'));
    piece('function_call_arguments', calling.arguments);
    service.tell({ type: 'response.done', response: { id: 'a', status: 'cancelled', usage: null, output } });
    begin('b');
    service.meter.close();
    const { usage } = await service.meter.total('done', 'caller');
    expect(usage.output).toBeWithin(1_000, 1_020);
    expect(usage.outputAudio).toBe(20);
    // The other one reads both.
    expect(usage.input).toBeWithin(1_000, 1_020);
    expect(usage.inputAudio).toBe(20);
  });

  it('counts what an answer speaks by its words where no sound of that comes', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const response = { id: 'a', conversation_id: 'conv' };
    service.tell({ type: 'response.created', response });
    const delta = 'word '.repeat(500);
    service.tell({ type: 'response.audio_transcript.delta', response_id: 'a', delta });
    service.meter.close();
    const { usage } = await service.meter.total('done', 'caller');
    expect(usage.output).toBeWithin(500, 510);
  });

  it('takes an answer of the conversation that nobody asked for no wish for one beside it', async () => {
    const service = new Service(CALLED, 2 * mostAfter(CALLED, noUsage(), 0, ANSWER), () => 0, true);
    await service.run({ ...ASK, hasOwn: false });
    await service.run({ ...ASK, what: 'unasked' });
    await service.run({ ...ASK, isApart: false });
    await service.quiet();
    expect([service.waiting.length, service.running.length]).toEqual([1, 1]);
  });

  it.each([
    ['a reference', [{ type: 'item_reference', id: 'item_1' }]],
    [
      'a reference among others',
      [{ content: [{ type: 'input_text', text: 'x' }] }, { type: 'item_reference' }],
    ],
    ['an item of a kind that nobody knows', [{ type: 'of_tomorrow', id: 'item_1' }]],
    ['what is no item', ['item_1']],
  ])('counts the conversation for an answer that brings %s along', async (_, input) => {
    const service = new Service(PLAIN, 3 * mostAfter(PLAIN, noUsage(), 0, ANSWER), () => 0, false);
    await service.run({ ...ASK, what: 'say', size: 10_000 });
    let up = 0;
    for (let asked = 0; asked < 40; asked++) {
      const response = { conversation: 'none', input, max_output_tokens: 1 };
      service.say({ type: 'response.create', response }, () => up++);
    }
    await service.quiet();
    expect(up).toBeGreaterThan(0);
    expect(up * 10_000).toBeLessThanOrEqual(service.bank.balance);
  });

  const long = 'word '.repeat(10_000);
  const told = (session: JsonObject): JsonObject => ({ type: 'session.update', session });
  const item: JsonObject = {
    type: 'conversation.item.create',
    item: { content: [{ type: 'input_text', text: long }] },
  };
  it.each<[what: string, before: JsonObject, response: JsonObject, tokens: number]>([
    ['reads nothing of it', item, { input: [] }, 20],
    ['reads something else', item, { input: [{ content: [{ type: 'input_text', text: 'x' }] }] }, 20],
    ['has other instructions', told({ instructions: long }), { instructions: 'x' }, 20],
    ['has other tools', told({ tools: [{ type: 'function', description: long }] }), { tools: [] }, 20],
    ['has another prompt', told({ prompt: { variables: { a: long } } }), { prompt: { id: 'x' } }, 20],
    ['is told to have taken nothing', item, {}, 0],
  ])('counts the conversation after an answer of it that %s', async (_, before, response, tokens) => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    const ask = async (asked: JsonObject, id: string, conversation_id: string | null) => {
      await service.hear({ type: 'response.create', response: { max_output_tokens: 1, ...asked } });
      service.tell({ type: 'response.created', response: { id, conversation_id } });
    };
    await service.hear(before);
    for (const id of ['a', 'b']) {
      await ask(response, id, 'conv');
      const usage = { input_tokens: tokens, output_tokens: Math.min(tokens, 1) };
      service.tell({ type: 'response.done', response: { id, status: 'completed', usage } });
    }
    for (let beside = 0; beside < 10; beside++) await ask({ conversation: 'none' }, `c${beside}`, null);
    expect(service.bank.held).toBeGreaterThan(10 * 10_000);
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeWithin(10 * 10_000, 10 * 10_300);
  });

  const ref = { type: 'item_reference', id: 'item_big' };
  const WISH: JsonObject = { type: 'response.create', response: {} };
  const OWN: JsonObject = { type: 'response.create', response: { input: [] } };
  /** What is asked for and, as 'wait', when that is too late for what was; then, by its tokens, what an answer reads. */
  it.each<[what: string, course: (JsonObject | 'wait' | number)[]]>([
    ['begin late', [OWN, 'wait', 20]],
    ['begin late, when another one was asked for', [OWN, 'wait', WISH, 10_000, WISH, 20]],
    ['begin after one that was asked for after them', [OWN, WISH, 10_000, 'wait', 20]],
    ['begin last of all', [OWN, WISH, WISH, 10_000, 10_000, 20]],
    ['begin after one that nobody asked for', [OWN, 10_000, 'wait', 20]],
  ])('counts the conversation after answers with an input of their own that %s', async (_, course) => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.hear(item);
    let now = performance.now();
    const clock = spyOn(performance, 'now').mockImplementation(() => now);
    let answers = 0;
    const twice = [...course, ...course];
    for (const each of twice) {
      if (each === 'wait') now += limits.answerBeginsMs + 1;
      else if (typeof each !== 'number') await service.hear(each);
      else {
        const response = { id: `a${answers++}`, conversation_id: 'conv' };
        const usage = { input_tokens: each, output_tokens: 1 };
        service.tell({ type: 'response.created', response });
        service.tell({ type: 'response.done', response: { ...response, status: 'completed', usage } });
      }
    }
    clock.mockRestore();
    const told = twice.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);
    const beside = { conversation: 'none', max_output_tokens: 1 };
    for (let n = 0; n < 10; n++) {
      await service.hear({ type: 'response.create', response: beside });
      service.tell({ type: 'response.created', response: { id: `b${n}`, conversation_id: null } });
    }
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input - told).toBeGreaterThan(10 * 10_000);
  });

  it('counts what answers have left out of the conversation when they may read it again', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    const ask = async (response: JsonObject, id: string, conversation_id: string | null) => {
      await service.hear({ type: 'response.create', response: { max_output_tokens: 1, ...response } });
      service.tell({ type: 'response.created', response: { id, conversation_id } });
    };
    const end = (id: string) => {
      const usage = { input_tokens: 20, output_tokens: 1 };
      service.tell({ type: 'response.done', response: { id, status: 'completed', usage } });
    };
    await service.hear(item);
    await service.hear(truncated(10));
    for (const id of ['a', 'b', 'c']) {
      await ask({}, id, 'conv');
      end(id);
    }
    expect(service.bank.held).toBeLessThan(10 * 10_000);
    await ask({}, 'd', 'conv');
    await service.hear(truncated(null));
    end('d');
    for (let beside = 0; beside < 10; beside++) await ask({ conversation: 'none' }, `e${beside}`, null);
    expect(service.bank.held).toBeGreaterThan(10 * 10_000);
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeGreaterThan(10 * 10_000);
  });

  /** Tokens of one item, those that answers read of it, by truncation or not, and what is read by its name. */
  it.each<[what: string, tokens: number, read: number | null, input: JsonObject[], named: number]>([
    ['left out of it', 20_000, 20, [ref], 20_000],
    ['named often', 2_000, null, Array(10).fill(ref), 20_000],
    ['named often, up to what its model reads at once', 2_000, null, Array(1_000).fill(ref), 32_768],
    ['named in a message', 2_000, null, [{ type: 'message', role: 'user', content: [ref, ref] }], 4_000],
  ])(
    'holds and counts for an answer what of the conversation is %s',
    async (_, tokens, read, input, named) => {
      const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
      const { meter } = service;
      const text = 'word '.repeat(tokens);
      await service.hear({
        type: 'conversation.item.create',
        item: { id: ref.id, content: [{ type: 'input_text', text }] },
      });
      if (read !== null) await service.hear(truncated(read));
      const begun = async (id: string, response: JsonObject, conversation_id: string | null) => {
        await service.hear({ type: 'response.create', response: { max_output_tokens: 1, ...response } });
        service.tell({ type: 'response.created', response: { id, conversation_id } });
      };
      for (const id of ['a', 'b']) {
        await begun(id, {}, 'conv');
        const usage = { input_tokens: read ?? tokens, output_tokens: 1 };
        service.tell({ type: 'response.done', response: { id, status: 'completed', usage } });
      }
      for (let n = 0; n < 10; n++) await begun(`c${n}`, { conversation: 'none', input }, null);
      expect(service.bank.held).toBeGreaterThanOrEqual(10 * named);
      meter.close();
      const { usage, calls } = await meter.total('client_gone', 'caller');
      expect(usage.input).toBeGreaterThanOrEqual(10 * named);
      expect(quotaOf(PLAIN, usage, calls)).toBeLessThanOrEqual(service.bank.held);
      expect(usage.input).toBeLessThan(10 * 4 * named);
    },
  );

  it('counts for an answer what the service itself has left out of a long conversation, and is named', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.run({ ...ASK, what: 'say', size: 27_000 });
    const courses = [27_000, 3_000, 3_000];
    for (const [n, tokens] of courses.entries()) {
      await service.hear(WISH);
      const response = { id: `a${n}`, conversation_id: 'conv' };
      service.tell({ type: 'response.created', response });
      const usage = { input_tokens: tokens, output_tokens: 1 };
      service.tell({ type: 'response.done', response: { ...response, status: 'completed', usage } });
      if (n === 0) await service.run({ ...ASK, what: 'say', size: 3_000 });
      await service.quiet();
    }
    for (let n = 0; n < 10; n++)
      await service.hear({ type: 'response.create', response: { conversation: 'none', input: [ref] } });
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeGreaterThan(33_000 + 10 * 27_000);
  });

  it('counts the settings with which an answer was asked for, though others are told before it begins', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.hear(told({ instructions: long }));
    await service.hear({ type: 'response.create', response: { conversation: 'none', input: [] } });
    await service.hear(told({ instructions: '' }));
    service.tell({ type: 'response.created', response: { id: 'a', conversation_id: null } });
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeWithin(10_000, 10_300);
  });

  it('counts what an answer under way reads for those beside it, too', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    await service.run({ ...ASK, what: 'say', size: 1_000 });
    for (const isApart of [false, true, true]) {
      await service.run({ ...ASK, hasOwn: false, isApart });
      await service.quiet();
      await service.run({ ...ASK, what: 'begin' });
    }
    service.meter.close();
    const { usage } = await service.meter.total('client_gone', 'caller');
    expect(usage.input).toBeWithin(3_000, 3_100);
  });

  it('takes no limit at its word for none, whatever the session has', async () => {
    const service = new Service(PLAIN, 3 * mostAfter(PLAIN, noUsage(), 0, ANSWER), () => 0, false);
    service.tell({ type: 'session.updated', session: { turn_detection: null, max_output_tokens: 1 } });
    let up = 0;
    for (let asked = 0; asked < 10; asked++) {
      const response = { conversation: 'none', input: [], max_output_tokens: 'inf' };
      service.say({ type: 'response.create', response }, () => up++);
    }
    await service.quiet();
    expect(up).toBe(3);
  });

  it('goes by the looser of two limits until the upstream has said which', async () => {
    const service = new Service(PLAIN, 3 * mostAfter(PLAIN, noUsage(), 0, ANSWER), () => 0, false);
    const limit = (max_output_tokens: number | 'inf') => ({
      type: 'session.update',
      session: { max_output_tokens },
    });
    service.tell({ type: 'session.updated', session: { turn_detection: null, max_output_tokens: 1 } });
    let up = 0;
    const ask = () =>
      service.say({ type: 'response.create', response: { conversation: 'none', input: [] } }, () => up++);
    service.say(limit('inf'), () => undefined);
    for (let asked = 0; asked < 10; asked++) ask();
    await service.quiet();
    expect(up).toBe(3);
  });

  it('has no thoughts to hold for after a refused wish for them', async () => {
    const service = new Service(PLAIN, 3 * mostAfter(PLAIN, noUsage(), 0, ANSWER), () => 0, false);
    const wish = (more: JsonObject) => ({
      type: 'response.create',
      response: { conversation: 'none', input: [], ...more },
    });
    const thinking = wish({ reasoning: { effort: 'high' } });
    expect((await service.hear(thinking))?.code).toBe('insufficient_user_quota');
    for (let asked = 0; asked < 3; asked++) expect(await service.hear(wish({}))).toBeNull();
    expect(service.meter.isOwedUsage).toBe(false);
  });

  it('is for few answers at once, and for another where one has ended', async () => {
    const rich = 1_000_000 * mostAfter(PLAIN, noUsage(), 0, ANSWER);
    const service = new Service(PLAIN, rich, () => 0, false);
    const codes = new Set<unknown>();
    const hear = async (times: number) => {
      for (let n = 0; n < times; n++) {
        const refused = await service.hear({
          type: 'response.create',
          response: { conversation: 'none' },
        });
        if (refused) codes.add(refused.code);
        else
          service.waiting.push({
            id: '',
            isApart: true,
            own: null,
            stays: 0,
            insteadOf: null,
            cap: MOST,
            input: NOTHING,
            said: { ...NOTHING },
          });
      }
      return service.waiting.length + service.running.length;
    };
    expect(await hear(1_500)).toBe(limits.sessionAnswersAtOnce);
    expect(codes).toEqual(new Set(['session_answers_full']));
    await service.run({ ...ASK, what: 'begin' });
    await service.run({ ...ASK, what: 'done', size: 10 });
    expect(await hear(3)).toBe(limits.sessionAnswersAtOnce);
  });

  it('looks at its tools when they change, and not at each event', async () => {
    const rich = 1_000_000 * mostAfter(PLAIN, noUsage(), 0, ANSWER);
    const service = new Service(PLAIN, rich, () => 0, true);
    const names = Array.from({ length: 100 }, (_, n) => `t${n}`);
    const naming = (types: string[]) => ({
      type: 'session.update',
      session: { tools: types.map((type) => ({ type })) },
    });
    service.say(naming(names), () => 0);
    for (let asked = 0; asked < 5; asked++) await service.run(ASK);
    await service.quiet();
    for (let begun = 0; begun < 5; begun++) await service.run({ ...ASK, what: 'begin' });
    const item = { id: 'call_1', type: 't1_call', output: 'found' };
    service.tell({ type: 'response.output_item.added', response_id: 'resp_1', item });
    await service.quiet();
    const { looks } = service;
    expect(looks).toBeGreaterThan(0);
    for (let n = 0; n < 10; n++) {
      service.say({ type: 'x' }, () => 0);
      await service.run({ ...ASK, what: 'say' });
      service.say(naming(['t7', 't7']), () => 0);
      await service.run({ ...ASK, what: 'speak', at: n, size: 20 });
    }
    await service.quiet();
    expect([service.ended, service.looks]).toEqual([null, looks]);
  });

  it.each<[what: string, tools: JsonObject[], code: string | null]>([
    ['of which each is named thousands of times', Array(4_000).fill({ type: 'mcp' }), null],
    ['which are the caller’s own', Array(4_000).fill({ type: 'function', name: 'f' }), null],
    ['of many names', Array.from({ length: 300 }, (_, n) => ({ type: `t${n}` })), 'invalid_request'],
    [
      'of many names within one',
      [{ type: 'namespace', tools: Array.from({ length: 300 }, (_, n) => ({ type: `t${n}` })) }],
      'invalid_request',
    ],
    [
      'within one that are more than any has',
      [{ type: 'namespace', tools: Array(5_000).fill({ type: 'mcp' }) }],
      'invalid_request',
    ],
    [
      'that read and have no price',
      Array.from({ length: 300 }, (_, n) => ({ type: 'mcp', max_num_results: n + 1 })),
      'invalid_request',
    ],
    ['of long names', [{ type: 'x'.repeat(300) }], 'invalid_request'],
  ])('bounds tools %s', async (_, tools, code) => {
    const rich = 1_000_000 * mostAfter(PLAIN, noUsage(), 0, ANSWER);
    const update = (some: JsonObject[]) => ({ type: 'session.update', session: { tools: some } });
    for (const pieces of [1, 2]) {
      const service = new Service(PLAIN, rich, () => 0, true);
      const half = Math.ceil(tools.length / pieces);
      const codes = [];
      for (let at = 0; at < tools.length; at += half) {
        const refused = await service.hear(update(tools.slice(at, at + half)));
        codes.push(refused?.code ?? null);
      }
      expect(codes.at(-1) as unknown).toBe(code);
      expect(await service.hear({ type: 'x' })).toBeNull();
    }
  });

  it.each<[why: string, affords: number, asked: number]>([
    ['could not be held', 1, 2],
    ['was one too many', 1_000, limits.sessionAnswersAtOnce + 1],
  ])('has no model named by the wish for an answer that %s', async (_, affords, asked) => {
    const balance = affords * mostAfter(PLAIN, noUsage(), 0, ANSWER);
    const service = new Service(PLAIN, balance, () => 0, false);
    const price = { kind: 'tokens' as const, ratios: ratios(0) };
    const wish = { type: 'response.create', response: { conversation: 'none', input: [] } };
    for (let n = 1; n < asked; n++) expect(await service.hear(wish)).toBeNull();
    const scribe = { model: 'scribe', upstream: 'scribe', price };
    expect(await service.hear(wish, scribe)).not.toBeNull();
    expect(service.meter.transcriber).toBeUndefined();
    await service.hear({ type: 'session.update' }, scribe);
    expect(service.meter.transcriber).toBe(scribe);
  });

  it('covers what a model of its own writes down', async () => {
    const one = mostAfter(PLAIN, noUsage(), 0, ANSWER);
    const service = new Service(PLAIN, 10 * one, () => 0, false);
    const { meter, call } = service;
    const price = { kind: 'tokens' as const, ratios: ratios(20) };
    service.say(
      { type: 'session.update', session: { input_audio_transcription: { model: 'scribe' } } },
      () => 0,
      { model: 'scribe', upstream: 'scribe', price },
    );
    const seconds = 300;
    const audio = Buffer.alloc(48_000 * seconds).toString('base64');
    service.say({ type: 'input_audio_buffer.append', audio }, () => 0);
    service.say({ type: 'input_audio_buffer.commit' }, () => 0);
    await service.quiet();
    expect(service.ended).toBeNull();
    meter.close();
    const { usage, transcribed, calls } = await meter.total('done', 'caller');
    expect(transcribed).toMatchObject({ model: 'scribe', calls: 1, usage: { input: 5_000 } });
    expect(call.held).toBeGreaterThanOrEqual(quotaOf({ ...PLAIN, transcribed }, usage, calls));
    expect(call.held).toBeGreaterThan(one);
  });

  it('covers what its own model may write down where a cheaper one is named and not told', async () => {
    const silent = { ...ratios(1), completion: of(0), audioCompletion: of(0) };
    const service = new Service(quote({ kind: 'tokens', ratios: silent }), 100_000, () => 0, false);
    const { meter, call } = service;
    const price = { kind: 'tokens' as const, ratios: ratios(0.01) };
    const scribe = { model: 'scribe', upstream: 'scribe', price };
    const session = { input_audio_transcription: { model: 'scribe' } };
    service.say({ type: 'session.update', session }, () => 0, scribe);
    const audio = Buffer.alloc(48_000 * 60).toString('base64');
    service.say({ type: 'input_audio_buffer.append', audio }, () => 0);
    service.say({ type: 'input_audio_buffer.commit' }, () => 0);
    await service.quiet();
    meter.close();
    const { usage, transcribed } = await meter.total('done', 'caller');
    expect([usage.input, transcribed]).toEqual([1_000, undefined]);
    expect(call.held).toBeGreaterThanOrEqual(1_000);
  });

  it('is for whichever answer each wish became', async () => {
    const small = { prompt: { text: 3, audio: 0, image: 0 }, output: 10, answers: 1 };
    const cost = (...all: (typeof ANSWER)[]) =>
      all.reduce((sum, each) => sum + mostAfter(PLAIN, noUsage(), 0, each), 0);
    const service = new Service(PLAIN, cost(ANSWER, small, small) + 100, () => 0, false);
    const ask = (cap: number) => service.run({ ...ASK, cap });
    await ask(10);
    await ask(MOST);
    await service.quiet();
    expect(service.waiting.map(({ cap }) => cap)).toEqual([10, MOST]);
    // The long one begins first, the short one ends first.
    await service.run({ ...ASK, what: 'begin', at: 1 });
    await service.run({ ...ASK, what: 'begin', at: 0 });
    await service.run({ ...ASK, what: 'done', at: 1, size: 10 });
    await ask(MOST);
    await service.quiet();
    expect(service.waiting).toEqual([]);
    await ask(10);
    await service.quiet();
    expect(service.waiting).toHaveLength(1);
  });
});
