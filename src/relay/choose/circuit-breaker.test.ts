import { beforeEach, describe, expect, it } from 'bun:test';
import { channel as channelOf } from '../../../tests/support/routed-channel.ts';
import { limits } from '../../core/limits.ts';
import { resultOfEnd } from './call-result.ts';
import { type CallResult, CircuitBreakers } from './circuit-breaker.ts';

const SECOND = 1_000;
const failed: CallResult = { kind: 'failure', isLate: false, reason: { code: 'said', said: 'status 500' } };
const late: CallResult = {
  kind: 'failure',
  isLate: true,
  reason: { code: 'said', said: 'no answer in time' },
};
const silent: CallResult = { kind: 'silence' };
const well: CallResult = { kind: 'success' };

const channel = channelOf(1);
const candidate = { channel, key: { id: 100, value: 'k' } };

let now: number;
let breakers: CircuitBreakers;
const mayAsk = () => breakers.mayAsk(channel, 'm');
const note = (result: CallResult, times = 1) => {
  for (let i = 0; i < times; i++) breakers.note(candidate, 'm', result);
};
/** Somebody asks, and this comes of it. */
const ask = (result: CallResult) => {
  breakers.begin(candidate, 'm');
  note(result);
};

beforeEach(() => {
  now = 0;
  // Half of the chance in a back-off leaves it as it is.
  breakers = new CircuitBreakers({ clock: () => now, random: () => 0.5 });
});

describe('repeated failure', () => {
  it('of five in a row opens the breaker of the channel for ten seconds; four do not', () => {
    note(failed, 4);
    expect([mayAsk(), breakers.openCount]).toEqual([true, 0]);
    note(failed);
    expect([mayAsk(), breakers.openCount]).toEqual([false, 1]);
    expect(breakers.open()).toEqual({
      channels: new Map([[1, [{ model: 'm', why: 'failing' }]]]),
      keys: new Map(),
    });
    now = 9.9 * SECOND;
    expect(mayAsk()).toBe(false);
    now = 10 * SECOND;
    expect(mayAsk()).toBe(true);
  });

  it('of more than half of twenty calls in thirty seconds opens it too', () => {
    for (let i = 0; i < 9; i++) {
      note(failed);
      note(well);
    }
    expect(mayAsk()).toBe(true);
    note(failed, 2);
    expect(mayAsk()).toBe(false);
  });

  it('of five streams that begin well and break off opens it too', () => {
    for (let i = 0; i < 5; i++) {
      expect(mayAsk()).toBe(true);
      note({ kind: 'begun' });
      note(resultOfEnd('upstream_cut'));
    }
    expect(mayAsk()).toBe(false);
    now = 10 * SECOND;
    ask({ kind: 'begun' });
    expect(mayAsk()).toBe(true);
  });

  it('is not what callers do to their streams', () => {
    for (let i = 0; i < 20; i++) {
      note({ kind: 'begun' });
      note(resultOfEnd('client_gone'));
      note(resultOfEnd('exhausted'));
      note(resultOfEnd('no_room'));
    }
    expect(breakers.isEmpty).toBe(true);
  });

  it('that is spread over a long time does not', () => {
    for (let i = 0; i < 50; i++) {
      now += 31 * SECOND;
      note(failed, 3);
      note(well);
    }
    expect(mayAsk()).toBe(true);
  });

  it('leaves nothing behind once the channel is well', () => {
    note(failed, 5);
    now = 10 * SECOND;
    ask(well);
    expect(breakers.isEmpty).toBe(true);
  });
});

describe('a breaker that is half-open', () => {
  beforeEach(() => note(failed, 5));

  it('is probed by one call alone', () => {
    now = 10 * SECOND;
    expect(mayAsk()).toBe(true);
    breakers.begin(candidate, 'm');
    expect(mayAsk()).toBe(false);
  });

  it('is free for all when that call succeeds', () => {
    now = 10 * SECOND;
    ask(well);
    expect(mayAsk()).toBe(true);
  });

  it('is open twice as long with each probe that fails, at most a minute', () => {
    const openings = [];
    for (let probe = 0; probe < 4; probe++) {
      while (!mayAsk()) now += 100;
      ask(failed);
      const from = now;
      while (!mayAsk()) now += 100;
      openings.push(Math.round((now - from) / SECOND));
    }
    expect(openings).toEqual([20, 40, 60, 60]);
  });

  it('is free for another probe when the caller left', () => {
    now = 10 * SECOND;
    ask({ kind: 'ignored' });
    expect(mayAsk()).toBe(true);
  });

  it.each<CallResult>([{ kind: 'busy', retryAfterSec: 60 }, { kind: 'refused' }])(
    'is free for another probe, by another key, when that of the first is %j',
    (result) => {
      const twoKeys = channelOf(1, 0, 0, 2);
      now = 10 * SECOND;
      ask(result);
      expect([breakers.mayAsk(twoKeys, 'm'), breakers.mayAskKey(100, 'm')]).toEqual([true, false]);
    },
  );

  it('is free for another probe when the first has had no outcome for a minute', () => {
    now = 10 * SECOND;
    breakers.begin(candidate, 'm');
    now += 60 * SECOND;
    expect(mayAsk()).toBe(true);
  });

  it('is not open for longer by calls that were under way when it opened', () => {
    note(failed, 20);
    now = 10 * SECOND;
    expect(mayAsk()).toBe(true);
  });
});

describe('a channel that fails probe after probe', () => {
  /** Of four probes that fail, after which it is told that the channel is broken. */
  const probes = (): string[] => {
    const told: string[] = [];
    for (let probe = 1; probe <= 4; probe++) {
      breakers.onBroken = ({ channel: { id } }, reason) => told.push(`${probe}: ${id} ${reason.said}`);
      while (!mayAsk()) now += 100;
      ask(failed);
    }
    return told;
  };

  it('is broken after the third', () => {
    note(failed, 5);
    expect(probes()).toEqual(['3: 1 status 500', '4: 1 status 500']);
  });

  it('is not, while it answers calls for other models', () => {
    note(failed, 5);
    breakers.note(candidate, 'other', failed);
    now += SECOND;
    breakers.note(candidate, 'other', well);
    expect(probes()).toEqual([]);
  });

  it('is forgiven when somebody changes it', () => {
    note(failed, 5);
    note({ kind: 'busy', retryAfterSec: 60 });
    breakers.forget({ id: channel.id, keys: [candidate.key] });
    expect(breakers.isEmpty).toBe(true);
  });
});

describe('a channel that is asked while its breaker is open, because all are', () => {
  const other = { channel: channelOf(2), key: { id: 200, value: 'k' } };

  beforeEach(() => {
    note(failed, 5);
    now = SECOND;
    for (let i = 0; i < 5; i++) breakers.note(other, 'm', failed);
  });

  it('is not broken by that, and not open for longer', () => {
    const told: string[] = [];
    breakers.onBroken = (_, reason) => told.push(reason.said ?? reason.code);
    for (let call = 0; call < 50; call++) {
      ask(failed);
      now += 100;
    }
    expect(told).toEqual([]);
    now = 10 * SECOND;
    expect(mayAsk()).toBe(true);
  });

  it('goes behind those who have not been asked since', () => {
    const isAskedFirst = () => breakers.turnAt(candidate, 'm') < breakers.turnAt(other, 'm');
    expect(isAskedFirst()).toBe(true);
    now = 2 * SECOND;
    ask(failed);
    expect(isAskedFirst()).toBe(false);
    now = 3 * SECOND;
    breakers.begin(other, 'm');
    breakers.note(other, 'm', failed);
    expect(isAskedFirst()).toBe(true);
  });

  it('is free for all when it answers', () => {
    ask(well);
    expect(mayAsk()).toBe(true);
  });

  it('counts no refusal for too many calls as a probe', () => {
    breakers.forget({ id: channel.id, keys: [] });
    note({ kind: 'busy', retryAfterSec: undefined });
    for (let call = 0; call < 10; call++) ask({ kind: 'busy', retryAfterSec: undefined });
    now += 5 * SECOND;
    expect(mayAsk()).toBe(true);
  });
});

describe('the health of a channel', () => {
  it('falls with the share of its failures, never below a tenth, and is whole again when it is well', () => {
    expect(breakers.health(channel, 'm')).toBe(1);
    note(failed);
    expect(breakers.health(channel, 'm')).toBeCloseTo(5 / 6);
    note(well);
    for (let i = 0; i < 4; i++) {
      note(failed);
      note(well);
    }
    expect(breakers.health(channel, 'm')).toBeCloseTo(10 / 15);
    expect(breakers.health(channel, 'other')).toBe(1);
  });
});

describe('a refusal for too many calls', () => {
  it('opens the breaker of the key at once, as long as the upstream says', () => {
    note({ kind: 'busy', retryAfterSec: 33 });
    now = 32.9 * SECOND;
    expect(mayAsk()).toBe(false);
    now = 33 * SECOND;
    expect(mayAsk()).toBe(true);
  });

  it('is not shortened by a call that was under way and came through', () => {
    note({ kind: 'busy', retryAfterSec: 7 });
    note(well);
    now = 6.9 * SECOND;
    expect(mayAsk()).toBe(false);
    now = 7 * SECOND;
    ask(well);
    expect(breakers.isEmpty).toBe(true);
  });

  it('opens it for five seconds, then ten, at most a minute, where the upstream does not say', () => {
    const openings = [];
    for (let i = 0; i < 6; i++) {
      ask({ kind: 'busy', retryAfterSec: undefined });
      const from = now;
      while (!mayAsk()) now += 100;
      openings.push(Math.round((now - from) / SECOND));
    }
    expect(openings).toEqual([5, 10, 20, 40, 60, 60]);
  });
});

describe('a channel that is too slow', () => {
  const result = Promise.withResolvers<CallResult>();
  let test: () => void = () => undefined;

  beforeEach(() => {
    breakers = new CircuitBreakers({
      clock: () => now,
      random: () => 0.5,
      later: (work) => {
        test = work;
      },
    });
    breakers.probe = () => result.promise;
    note(late, 5);
  });

  it('is tested apart before a caller waits for it again', async () => {
    now = 60 * SECOND;
    expect(mayAsk()).toBe(false);
    test();
    expect(mayAsk()).toBe(false);
    result.resolve(well);
    await Bun.sleep(0);
    expect(mayAsk()).toBe(true);
  });

  it('opens that of the key alone that such a test finds refused', async () => {
    const twoKeys = channelOf(1, 0, 0, 2);
    breakers.probe = async () => ({ kind: 'refused' });
    now = 60 * SECOND;
    test();
    await Bun.sleep(0);
    expect(breakers.open()).toEqual({
      channels: new Map(),
      keys: new Map([[candidate.key.id, [{ model: 'm', why: 'refused' }]]]),
    });
    expect([breakers.mayAsk(twoKeys, 'm'), breakers.mayAskKey(101, 'm')]).toEqual([true, true]);
  });
});

describe('failures that may be of what was asked for', () => {
  const provoked: CallResult = { ...failed, isOfRequest: true };
  const refused: CallResult = { kind: 'refused', isOfRequest: true };
  let results: CallResult[];
  let probed: number;
  beforeEach(() => {
    results = [];
    probed = 0;
    breakers.probe = async () => {
      probed++;
      return results.shift() ?? well;
    };
  });

  it('open no breaker before a test has failed', async () => {
    results = [failed];
    note(provoked, 7);
    expect([mayAsk(), probed]).toEqual([true, 1]);
    await Bun.sleep(0);
    expect(mayAsk()).toBe(false);
  });

  it('count anew after one that is answered, and for ten seconds there is no other', async () => {
    note(provoked, 5);
    await Bun.sleep(0);
    note(provoked, 20);
    await Bun.sleep(0);
    expect([mayAsk(), probed]).toEqual([true, 1]);
    now = 10 * SECOND;
    note(provoked);
    await Bun.sleep(0);
    expect(probed).toBe(2);
  });

  it('open none where the channel was answered or changed meanwhile', async () => {
    results = [failed, failed];
    note(provoked, 5);
    note(well);
    await Bun.sleep(0);
    expect(mayAsk()).toBe(true);
    note(provoked, 5);
    breakers.forget(channel);
    await Bun.sleep(0);
    expect([mayAsk(), breakers.isEmpty]).toEqual([true, true]);
  });

  it('keep one that is open from others no longer than a test takes', async () => {
    note(failed, 5);
    now = 10 * SECOND;
    ask(provoked);
    expect(mayAsk()).toBe(false);
    await Bun.sleep(0);
    expect([mayAsk(), breakers.isEmpty]).toEqual([true, true]);
  });

  it.each([
    ['several', true],
    ['one', false],
  ])('go by witnesses where no test can ask: %s', async (_, isWitnessed) => {
    results = [{ kind: 'ignored' }, { kind: 'ignored' }];
    breakers.isWitnessed = () => isWitnessed;
    note(provoked, 5);
    await Bun.sleep(0);
    expect(mayAsk()).toBe(!isWitnessed);
  });

  it('open that of the key alone that a test finds refused, whichever key failed before', async () => {
    const twoKeys = channelOf(2, 0, 0, 2);
    const [first, second] = twoKeys.keys;
    if (!first || !second) throw new Error('it has two keys');
    results = [{ kind: 'refused' }];
    for (const key of [first, second, first, second, first]) {
      breakers.note({ channel: twoKeys, key }, 'm', provoked);
    }
    await Bun.sleep(0);
    expect(breakers.open()).toEqual({
      channels: new Map(),
      keys: new Map([[first.id, [{ model: 'm', why: 'refused' }]]]),
    });
    expect([breakers.mayAsk(twoKeys, 'm'), breakers.mayAskKey(second.id, 'm')]).toEqual([true, true]);
    // The other one is tested by itself, and says how the channel is.
    results = [failed];
    breakers.note({ channel: twoKeys, key: second }, 'm', provoked);
    await Bun.sleep(0);
    expect(breakers.mayAsk(twoKeys, 'm')).toBe(false);
  });

  it('leave a key to others that a test finds well, and not one that it finds refused', async () => {
    note(refused);
    await Bun.sleep(0);
    expect(mayAsk()).toBe(true);
    now = 10 * SECOND;
    results = [{ kind: 'refused' }];
    note(refused);
    await Bun.sleep(0);
    expect(mayAsk()).toBe(false);
  });
});

describe('the silence of a model that hides what it thinks', () => {
  let probed: number;
  let later: (() => void)[];
  beforeEach(() => {
    probed = 0;
    later = [];
    breakers = new CircuitBreakers({
      clock: () => now,
      random: () => 0.5,
      later: (work) => later.push(work),
    });
    breakers.probe = async () => {
      probed++;
      return well;
    };
  });

  it('says nothing of its channel once or twice, nor with an answer in between', () => {
    for (let i = 0; i < 10; i++) {
      note(silent, 2);
      expect(mayAsk()).toBe(true);
      note(well);
      now += 300 * SECOND;
    }
    expect([mayAsk(), breakers.openCount]).toEqual([true, 0]);
  });

  it('opens its breaker the third time, however long each takes, until a probe of our own succeeds', async () => {
    for (let i = 0; i < 3; i++) {
      expect(mayAsk()).toBe(true);
      now += 300 * SECOND;
      ask(silent);
    }
    expect(mayAsk()).toBe(false);
    now += 10 * SECOND;
    expect(mayAsk()).toBe(false);
    for (const work of later) work();
    await Bun.sleep(0);
    expect([probed, mayAsk(), breakers.isEmpty]).toEqual([1, true, true]);
  });

  it('of who is being tried leaves it open for longer', () => {
    breakers.probe = null;
    note(failed, 5);
    now = 10 * SECOND;
    ask(silent);
    expect(mayAsk()).toBe(false);
    now += 19 * SECOND;
    expect(mayAsk()).toBe(false);
  });
});

it('of more keys than are remembered those whose breakers opened first are forgotten', () => {
  const keyOf = (id: number) => ({ id, value: 'k' });
  for (let id = 0; id <= limits.breakersMax; id++) {
    breakers.note({ channel, key: keyOf(id) }, 'm', { kind: 'refused' });
  }
  expect(breakers.openCount).toBe(limits.breakersMax);
  expect([breakers.mayAskKey(0, 'm'), breakers.mayAskKey(1, 'm')]).toEqual([true, false]);
});

it('of more models than are remembered of a key those whose breakers opened first are forgotten', () => {
  for (let n = 0; n <= limits.breakersMax; n++) breakers.note(candidate, `m${n}`, { kind: 'refused' });
  expect(breakers.openCount).toBe(limits.breakersMax);
  expect([breakers.mayAskKey(100, 'm0'), breakers.mayAskKey(100, 'm1')]).toEqual([true, false]);
});
