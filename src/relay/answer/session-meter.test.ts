import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import {
  ANSWER,
  ASK,
  anyDoing,
  CALLED,
  type Doing,
  MOST,
  NOTHING,
  PLAIN,
  Service,
  TIERED,
} from '../../../tests/support/session-service.ts';
import type { CallQuote } from '../../billing/price.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { mostAfter, OUTPUT_AT_ONCE } from '../../core/price-bound.ts';
import { quotaOf } from '../../core/price-formula.ts';
import { completionTokens, noUsage, promptTokens } from '../../core/usage.ts';
import type { StreamEnd } from '../charge/call.ts';

/** What is done, and how the session ends that nothing has ended by then. */
interface Course {
  given: CallQuote;
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

  it('takes an answer of the conversation that nobody asked for no wish for one beside it', async () => {
    const service = new Service(CALLED, 2 * mostAfter(CALLED, noUsage(), 0, ANSWER), () => 0, true);
    await service.run({ ...ASK, hasOwn: false });
    await service.run({ ...ASK, what: 'unasked' });
    await service.run({ ...ASK, isApart: false });
    await service.quiet();
    expect([service.waiting.length, service.running.length]).toEqual([1, 1]);
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
