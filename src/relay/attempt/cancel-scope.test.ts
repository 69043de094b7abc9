import { afterEach, beforeEach, describe, expect, it, jest } from 'bun:test';
import type { Json } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { NO_TOOLS, type PaidTools } from '../../core/paid-tools.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import { createCutList } from '../../platform/cut.ts';
import { ReaderPlaces, Stay } from '../../platform/reader-places.ts';
import { Stopping } from '../../platform/stopping.ts';
import { DrainGate } from '../answer/drain.ts';
import { type CancelScope, hadTime, inCancelScope, type Terms } from './cancel-scope.ts';
import { failureOfAnswer, failureOfStatus, failureOfTransport, type Outcome } from './outcome.ts';

const LONG_MS = 60_000;
const PICTURE = [{ type: 'image_url', image_url: { url: 'https://a.example/1.png' } }];
const READS: PaidTools = { ...NO_TOOLS, reads: [{ name: 'mcp', most: null, tokens: null }] };
const CODE_ALONE: PaidTools = { ...NO_TOOLS, runsCode: true };
const RUNS_CODE: PaidTools = { ...READS, runsCode: true };
const ANSWER: Outcome = failureOfTransport('empty');

/** A chat that says so. */
function chatOf(content: Json) {
  const body = { model: 'm', messages: [{ role: 'user', content }] };
  const facts = requestFacts(openaiChat, body, {});
  const at = { headers: new Headers(), query: new URLSearchParams() };
  return { operation: 'chat', dialect: openaiChat, body, facts, ...at } as const;
}

/** A call that ends when it is cancelled, and what it came to. */
function begin(terms: Partial<Terms>, answered?: Promise<Outcome>, content: Json = 'hi', most = 1) {
  const left = new AbortController();
  const stopping = new Stopping();
  const drains = new DrainGate();
  const deps = { stopping, drains, cut: createCutList(stopping) };
  const whole: Terms = { totalMs: LONG_MS, whenLeft: 'ends', ...terms };
  const begun = Promise.withResolvers<CancelScope>();
  const places = new ReaderPlaces(most, []);
  const { standsStill } = new Stay(places.take('he'));
  const request = { ...chatOf(content), left: left.signal, userId: 1, standsStill };
  const outcome = inCancelScope(whole, request, deps, (scope) => {
    const { signal } = scope;
    begun.resolve(scope);
    const cancelled = new Promise<Outcome>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    return Promise.race([cancelled, ...(answered ? [answered] : [])]);
  });
  return { outcome, leave: () => left.abort(), stopping, drains, places, scope: begun.promise };
}

describe('a call to an upstream', () => {
  it('that is late is a timeout, as a whole and in a pause', async () => {
    for (const terms of [{ totalMs: 20 }, { pauseMs: 20 }]) {
      expect(await begin(terms).outcome).toMatchObject({ kind: 'failed', fault: 'timeout' });
    }
  });

  it('ends when its caller leaves', async () => {
    const { outcome, leave } = begin({ whenLeft: 'ends' });
    leave();
    expect(await outcome).toEqual({ kind: 'left' });
  });

  it('goes on without its caller where its answer is charged', async () => {
    const answer = Promise.withResolvers<Outcome>();
    const { outcome, leave } = begin({ whenLeft: 'goes-on' }, answer.promise);
    leave();
    answer.resolve(ANSWER);
    expect(await outcome).toBe(ANSWER);
  });

  it('is read on for a while without its caller, in a place that it gives back', async () => {
    const { outcome, leave, drains } = begin({ whenLeft: { ms: 20, bytes: 1 } });
    leave();
    expect(drains.open).toBe(1);
    expect(await outcome).toEqual({ kind: 'left' });
    expect(drains.open).toBe(0);
  });

  it('is told so when the grace of a stop is over', async () => {
    const { outcome, stopping } = begin({ whenLeft: 'goes-on' });
    stopping.track(outcome);
    expect(await stopping.begin(1)).toBe(0);
    expect(await outcome).toMatchObject({ kind: 'failed', retryable: false, error: { code: 'stopping' } });
  });

  it('throws what is a mistake of ours', async () => {
    const bug = Promise.reject(new TypeError('a bug'));
    await expect(begin({}, bug).outcome).rejects.toThrow('a bug');
  });
});

describe('the place of a call of which nothing comes', () => {
  const { upstreamStillMs } = limits;
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['that names a picture', PICTURE, 'ends', false],
    ['that names a picture, when its caller leaves or not', PICTURE, 'goes-on', true],
    ['whose caller has left and that goes on', 'hi', 'goes-on', true],
  ] as const)('is others’ after a while, of one %s', async (_, content, whenLeft, hasLeft) => {
    const { outcome, leave, places } = begin({ whenLeft }, undefined, content);
    if (hasLeft) leave();
    jest.advanceTimersByTime(upstreamStillMs - 1);
    expect(places.take()).toBeNull();
    jest.advanceTimersByTime(1);
    expect(places.take()).not.toBeNull();
    // Nobody else is asked, and no channel is to blame.
    expect(await outcome).toMatchObject({
      ...{ kind: 'failed', fault: 'gave-way', retryable: false, blame: 'nobody' },
      error: { code: 'OVERLOADED' },
    });
  });

  it('is others’ once he leaves, though he has waited for long', async () => {
    const { outcome, leave, places } = begin({ whenLeft: 'goes-on' });
    jest.advanceTimersByTime(upstreamStillMs);
    expect(places.take()).toBeNull();
    leave();
    expect(places.take()).not.toBeNull();
    expect(await outcome).toMatchObject({ fault: 'gave-way' });
  });

  it('is others’ before all of its time is over, however little that is', async () => {
    const totalMs = upstreamStillMs;
    const { outcome, places } = begin({ totalMs, whenLeft: 'goes-on' }, undefined, PICTURE);
    jest.advanceTimersByTime(totalMs / 2);
    expect(places.take()).not.toBeNull();
    expect(await outcome).toMatchObject({ fault: 'gave-way' });
  });

  it.each([
    ['that has tools', READS, PICTURE, false, ['picture', 'this']],
    ['that has tools, whose caller has left', READS, PICTURE, true, ['picture', 'this']],
    ['that has none', NO_TOOLS, PICTURE, false, ['this']],
    ['whose code runs by no tool of a list', CODE_ALONE, 'hi', false, ['picture', 'this']],
    ['whose tools run code, and that names nothing', RUNS_CODE, 'hi', false, ['picture', 'this']],
  ] as const)('is others’ behind those of whose wait is not dear, of one %s', async (...of) => {
    const [, paid, content, hasLeft, ends] = of;
    const { outcome, leave, places } = begin({ whenLeft: 'goes-on', paid }, undefined, content, 2);
    const ended: string[] = [];
    void outcome.then(() => ended.push('this'));
    jest.advanceTimersByTime(upstreamStillMs);
    const picture = new Stay(places.take('picture'));
    picture.standsStill(() => void ended.push('picture'), performance.now() + 1);
    if (hasLeft) leave();
    for (const end of ends) {
      expect(places.take(end)).not.toBeNull();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
    expect(ended).toEqual([...ends]);
  });

  it.each([
    ['has refused what was asked for', failureOfStatus(400, '{}', {}, null), 'status'],
    ['has refused the key', failureOfStatus(401, '{}', {}, null), 'status'],
    ['has failed within its answer', failureOfAnswer({ message: 'no' }), 'error-in-answer'],
    ['has broken off', failureOfTransport('empty'), 'gave-way'],
  ])(
    'is others’ as its upstream %s: what that said holds, and nobody else is asked',
    async (_, said, fault) => {
      const answer = Promise.withResolvers<Outcome>();
      const { outcome, places } = begin({ whenLeft: 'ends' }, answer.promise, PICTURE);
      jest.advanceTimersByTime(upstreamStillMs);
      answer.resolve(said);
      expect(places.take()).not.toBeNull();
      const told = fault === 'gave-way' ? { blame: 'nobody' } : { blame: said.blame, hasGivenWay: true };
      expect(await outcome).toMatchObject({ kind: 'failed', fault, retryable: false, ...told });
    },
  );

  it('stays its own where it names nothing, and when something has come', async () => {
    const answer = Promise.withResolvers<Outcome>();
    const plain = begin({}, answer.promise);
    const withTools = begin({ paid: READS }, answer.promise);
    const begun = begin({}, answer.promise, PICTURE);
    const late = begin({}, answer.promise, PICTURE);
    (await begun.scope).deadlines.begun();
    jest.advanceTimersByTime(upstreamStillMs);
    (await late.scope).deadlines.begun();
    for (const { places } of [plain, withTools, begun, late]) expect(places.take()).toBeNull();
    answer.resolve(ANSWER);
    expect(await plain.outcome).toBe(ANSWER);
  });
});

/** What others have left of a call's time may be over before anybody has done a thing. */
it.each([
  ['all of a long one', 600_000, 600_000, true],
  ['some seconds of it', 5_000, 600_000, true],
  ['a few milliseconds', 40, 600_000, false],
  ['nearly all of a short one', 180, 200, true],
  ['the end of a short one', 20, 200, false],
])('a channel had time for its work: %s', (_, ms, wholeMs, had) => {
  expect(hadTime(ms, wholeMs)).toBe(had);
});
