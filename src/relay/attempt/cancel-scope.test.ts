import { describe, expect, it } from 'bun:test';
import { createCutList } from '../../platform/cut.ts';
import { Stopping } from '../../platform/stopping.ts';
import { DrainGate } from '../answer/drain.ts';
import { hadTime, inCancelScope, type Terms } from './cancel-scope.ts';
import { failureOfTransport, type Outcome } from './outcome.ts';

const LONG_MS = 60_000;
const ANSWER: Outcome = failureOfTransport('empty');

/** A call that ends when it is cancelled, and what it came to. */
function begin(terms: Partial<Terms>, answered?: Promise<Outcome>) {
  const left = new AbortController();
  const stopping = new Stopping();
  const drains = new DrainGate();
  const deps = { stopping, drains, cut: createCutList(stopping) };
  const whole: Terms = { totalMs: LONG_MS, whenLeft: 'ends', ...terms };
  const outcome = inCancelScope(whole, { left: left.signal, userId: 1 }, deps, ({ signal }) => {
    const cancelled = new Promise<Outcome>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    return Promise.race([cancelled, ...(answered ? [answered] : [])]);
  });
  return { outcome, leave: () => left.abort(), stopping, drains };
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
