import { beforeEach, describe, expect, it } from 'bun:test';
import { channel as channelOf } from '../../../tests/support/routed-channel.ts';
import { limits } from '../../core/limits.ts';
import { Cooldowns, type Verdict } from './cooldown.ts';
import { verdictOfEnd } from './verdict.ts';

const SECOND = 1_000;
const failed: Verdict = { kind: 'failed', isLate: false, reason: { code: 'said', said: 'status 500' } };
const late: Verdict = { kind: 'failed', isLate: true, reason: { code: 'said', said: 'no answer in time' } };
const well: Verdict = { kind: 'well' };

const channel = channelOf(1);
const candidate = { channel, key: { id: 100, value: 'k' } };

let now: number;
let cooldowns: Cooldowns;
const isWell = () => cooldowns.isWell(channel, 'm');
const note = (verdict: Verdict, times = 1) => {
  for (let i = 0; i < times; i++) cooldowns.note(candidate, 'm', verdict);
};
/** Somebody asks, and this comes of it. */
const ask = (verdict: Verdict) => {
  cooldowns.begin(candidate, 'm');
  note(verdict);
};

beforeEach(() => {
  now = 0;
  // Half of the chance in a back-off leaves it as it is.
  cooldowns = new Cooldowns({ clock: () => now, random: () => 0.5 });
});

describe('repeated failure', () => {
  it('of five in a row rests the channel for ten seconds; four do not', () => {
    note(failed, 4);
    expect([isWell(), cooldowns.resting]).toEqual([true, 0]);
    note(failed);
    expect([isWell(), cooldowns.resting]).toEqual([false, 1]);
    now = 9.9 * SECOND;
    expect(isWell()).toBe(false);
    now = 10 * SECOND;
    expect(isWell()).toBe(true);
  });

  it('of more than half of twenty calls in thirty seconds rests it too', () => {
    for (let i = 0; i < 9; i++) {
      note(failed);
      note(well);
    }
    expect(isWell()).toBe(true);
    note(failed, 2);
    expect(isWell()).toBe(false);
  });

  it('of five streams that begin well and break off rests it too', () => {
    for (let i = 0; i < 5; i++) {
      expect(isWell()).toBe(true);
      note({ kind: 'opened' });
      note(verdictOfEnd('upstream_cut'));
    }
    expect(isWell()).toBe(false);
    now = 10 * SECOND;
    ask({ kind: 'opened' });
    expect(isWell()).toBe(true);
  });

  it('is not what callers do to their streams', () => {
    for (let i = 0; i < 20; i++) {
      note({ kind: 'opened' });
      note(verdictOfEnd('client_gone'));
      note(verdictOfEnd('exhausted'));
    }
    expect(cooldowns.isEmpty).toBe(true);
  });

  it('that is spread over a long time does not', () => {
    for (let i = 0; i < 50; i++) {
      now += 31 * SECOND;
      note(failed, 3);
      note(well);
    }
    expect(isWell()).toBe(true);
  });

  it('leaves nothing behind once the channel is well', () => {
    note(failed, 5);
    now = 10 * SECOND;
    ask(well);
    expect(cooldowns.isEmpty).toBe(true);
  });
});

describe('a channel that has rested', () => {
  beforeEach(() => note(failed, 5));

  it('is tried by one call alone', () => {
    now = 10 * SECOND;
    expect(isWell()).toBe(true);
    cooldowns.begin(candidate, 'm');
    expect(isWell()).toBe(false);
  });

  it('is free for all when that call succeeds', () => {
    now = 10 * SECOND;
    ask(well);
    expect(isWell()).toBe(true);
  });

  it('rests twice as long with each trial that fails, at most a minute', () => {
    const rests = [];
    for (let trial = 0; trial < 4; trial++) {
      while (!isWell()) now += 100;
      ask(failed);
      const from = now;
      while (!isWell()) now += 100;
      rests.push(Math.round((now - from) / SECOND));
    }
    expect(rests).toEqual([20, 40, 60, 60]);
  });

  it('is free for another trial when the caller left', () => {
    now = 10 * SECOND;
    ask({ kind: 'nothing' });
    expect(isWell()).toBe(true);
  });

  it('is free for another trial when the first has had no outcome for a minute', () => {
    now = 10 * SECOND;
    cooldowns.begin(candidate, 'm');
    now += 60 * SECOND;
    expect(isWell()).toBe(true);
  });

  it('does not rest longer for calls that were under way when it began to', () => {
    note(failed, 20);
    now = 10 * SECOND;
    expect(isWell()).toBe(true);
  });
});

describe('a channel that fails trial after trial', () => {
  /** Of four trials that fail, after which it is told that the channel is broken. */
  const trials = (): string[] => {
    const told: string[] = [];
    for (let trial = 1; trial <= 4; trial++) {
      cooldowns.onBroken = ({ channel: { id } }, reason) => told.push(`${trial}: ${id} ${reason.said}`);
      while (!isWell()) now += 100;
      ask(failed);
    }
    return told;
  };

  it('is broken after the third', () => {
    note(failed, 5);
    expect(trials()).toEqual(['3: 1 status 500', '4: 1 status 500']);
  });

  it('is not, while it answers calls for other models', () => {
    note(failed, 5);
    cooldowns.note(candidate, 'other', failed);
    now += SECOND;
    cooldowns.note(candidate, 'other', well);
    expect(trials()).toEqual([]);
  });

  it('is forgiven when somebody changes it', () => {
    note(failed, 5);
    note({ kind: 'busy', retryAfterSec: 60 });
    cooldowns.forget({ id: channel.id, keys: [candidate.key] });
    expect(cooldowns.isEmpty).toBe(true);
  });
});

describe('a channel that is asked while it rests, because all do', () => {
  const other = { channel: channelOf(2), key: { id: 200, value: 'k' } };

  beforeEach(() => {
    note(failed, 5);
    now = SECOND;
    for (let i = 0; i < 5; i++) cooldowns.note(other, 'm', failed);
  });

  it('is not broken by that, and rests no longer', () => {
    const told: string[] = [];
    cooldowns.onBroken = (_, reason) => told.push(reason.said ?? reason.code);
    for (let call = 0; call < 50; call++) {
      ask(failed);
      now += 100;
    }
    expect(told).toEqual([]);
    now = 10 * SECOND;
    expect(isWell()).toBe(true);
  });

  it('goes behind those who have not been asked since', () => {
    const isAskedFirst = () => cooldowns.restsUntil(candidate, 'm') < cooldowns.restsUntil(other, 'm');
    expect(isAskedFirst()).toBe(true);
    now = 2 * SECOND;
    ask(failed);
    expect(isAskedFirst()).toBe(false);
    now = 3 * SECOND;
    cooldowns.begin(other, 'm');
    cooldowns.note(other, 'm', failed);
    expect(isAskedFirst()).toBe(true);
  });

  it('is free for all when it answers', () => {
    ask(well);
    expect(isWell()).toBe(true);
  });

  it('counts no refusal for too many calls as a trial', () => {
    cooldowns.forget({ id: channel.id, keys: [] });
    note({ kind: 'busy', retryAfterSec: undefined });
    for (let call = 0; call < 10; call++) ask({ kind: 'busy', retryAfterSec: undefined });
    now += 5 * SECOND;
    expect(isWell()).toBe(true);
  });
});

describe('the health of a channel', () => {
  it('falls with the share of its failures, never below a tenth, and is whole again when it is well', () => {
    expect(cooldowns.health(channel, 'm')).toBe(1);
    note(failed);
    expect(cooldowns.health(channel, 'm')).toBeCloseTo(5 / 6);
    note(well);
    for (let i = 0; i < 4; i++) {
      note(failed);
      note(well);
    }
    expect(cooldowns.health(channel, 'm')).toBeCloseTo(10 / 15);
    expect(cooldowns.health(channel, 'other')).toBe(1);
  });
});

describe('a refusal for too many calls', () => {
  it('rests the key at once, as long as the upstream says', () => {
    note({ kind: 'busy', retryAfterSec: 33 });
    now = 32.9 * SECOND;
    expect(isWell()).toBe(false);
    now = 33 * SECOND;
    expect(isWell()).toBe(true);
  });

  it('is not shortened by a call that was under way and came through', () => {
    note({ kind: 'busy', retryAfterSec: 7 });
    note(well);
    now = 6.9 * SECOND;
    expect(isWell()).toBe(false);
    now = 7 * SECOND;
    ask(well);
    expect(cooldowns.isEmpty).toBe(true);
  });

  it('rests it for five seconds, then ten, at most a minute, where the upstream does not say', () => {
    const rests = [];
    for (let i = 0; i < 6; i++) {
      ask({ kind: 'busy', retryAfterSec: undefined });
      const from = now;
      while (!isWell()) now += 100;
      rests.push(Math.round((now - from) / SECOND));
    }
    expect(rests).toEqual([5, 10, 20, 40, 60, 60]);
  });
});

describe('a channel that is too slow', () => {
  const verdict = Promise.withResolvers<Verdict>();
  let test: () => void = () => undefined;

  beforeEach(() => {
    cooldowns = new Cooldowns({
      clock: () => now,
      random: () => 0.5,
      later: (work) => {
        test = work;
      },
    });
    cooldowns.trial = () => verdict.promise;
    note(late, 5);
  });

  it('is tested apart before a caller waits for it again', async () => {
    now = 60 * SECOND;
    expect(isWell()).toBe(false);
    test();
    expect(isWell()).toBe(false);
    verdict.resolve(well);
    await Bun.sleep(0);
    expect(isWell()).toBe(true);
  });
});

it('of more resting keys than are remembered those that rested first are forgotten', () => {
  const keyOf = (id: number) => ({ id, value: 'k' });
  for (let id = 0; id <= limits.restingMax; id++) {
    cooldowns.note({ channel, key: keyOf(id) }, 'm', { kind: 'refused' });
  }
  expect(cooldowns.resting).toBe(limits.restingMax);
  expect([cooldowns.isKeyWell(0, 'm'), cooldowns.isKeyWell(1, 'm')]).toEqual([true, false]);
});

it('of more models than are remembered of a key those that rested first are forgotten', () => {
  for (let n = 0; n <= limits.restingMax; n++) cooldowns.note(candidate, `m${n}`, { kind: 'refused' });
  expect(cooldowns.resting).toBe(limits.restingMax);
  expect([cooldowns.isKeyWell(100, 'm0'), cooldowns.isKeyWell(100, 'm1')]).toEqual([true, false]);
});
