import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { channel } from '../../../tests/support/routed-channel.ts';
import { limits } from '../../core/limits.ts';
import type { Candidate, RoutedChannel, Tier } from '../../modules/channel/model.ts';
import { affinityOf, type Choice, nextCandidate, Tried } from './candidates.ts';
import { type CallResult, CircuitBreakers } from './circuit-breaker.ts';
import { KeyTurns } from './key-turns.ts';

const tiersOf = (channels: RoutedChannel[]): Tier[] => {
  const priorities = [...new Set(channels.map(({ priority }) => priority))].sort((a, b) => b - a);
  return priorities.map((priority) => ({
    priority,
    channels: channels.filter((each) => each.priority === priority),
  }));
};

const all = () => true;

const choice = (more: Partial<Choice> = {}): Choice => ({
  model: 'm',
  serves: all,
  breakers: new CircuitBreakers(),
  affinity: null,
  ...more,
});

/** The order in which a request would try everything. */
const order = (channels: RoutedChannel[], random = Math.random, serves = (_: RoutedChannel) => true) => {
  const tiers = tiersOf(channels);
  const tried = new Tried(new KeyTurns());
  const out = [];
  for (
    let next = nextCandidate(tiers, tried, choice({ serves, random }));
    next;
    next = nextCandidate(tiers, tried, choice({ serves, random }))
  ) {
    tried.add(next);
    out.push(next);
  }
  return out;
};

describe('the choice of a channel', () => {
  it('tries every key of every channel once, higher priorities first, other channels before other keys', () => {
    const some = fc.array(fc.tuple(fc.nat(3), fc.nat(2), fc.integer({ min: 1, max: 3 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(some, (given) => {
        const channels = given.map(([weight, priority, keys], i) => channel(i + 1, weight, priority, keys));
        const tries = order(channels);
        const keys = channels.flatMap((each) => each.keys.map(({ id }) => id));
        expect(tries.map(({ key }) => key.id).sort()).toEqual(keys.sort());
        const first = tries.slice(0, channels.length);
        expect(new Set(first.map((each) => each.channel.id)).size).toBe(channels.length);
        const priorities = first.map((each) => each.channel.priority);
        expect(priorities).toEqual([...priorities].sort((a, b) => b - a));
      }),
    );
  });

  it('shares exactly in proportion to the weights', () => {
    const channels = [channel(1, 1), channel(2, 3), channel(3, 0)];
    const tiers = tiersOf(channels);
    const picks = Array.from(
      { length: 400 },
      (_, i) =>
        nextCandidate(tiers, new Tried(new KeyTurns()), choice({ random: () => i / 400 }))?.channel.id,
    );
    expect(picks.filter((id) => id === 1)).toHaveLength(100);
    expect(picks.filter((id) => id === 2)).toHaveLength(300);
  });

  it('shares the rest in proportion once one was tried', () => {
    const tiers = tiersOf([channel(1, 1), channel(2, 3), channel(3, 6)]);
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const picks = Array.from({ length: 20_000 }, () => {
      const tried = new Tried(new KeyTurns());
      tried.ruleOut(channel(3));
      return nextCandidate(tiers, tried, choice({ random }))?.channel.id;
    });
    expect(picks.filter((id) => id === 3)).toHaveLength(0);
    expect(picks.filter((id) => id === 1).length / picks.length).toBeCloseTo(0.25, 1);
  });

  it('gives a zero weight its turn only when no positive sibling is left', () => {
    expect(order([channel(1, 0), channel(2, 5)], () => 0).map((each) => each.channel.id)).toEqual([2, 1]);
  });

  it('shares equally when all weights are zero', () => {
    const tiers = tiersOf([channel(1), channel(2)]);
    const picks = Array.from(
      { length: 100 },
      (_, i) =>
        nextCandidate(tiers, new Tried(new KeyTurns()), choice({ random: () => i / 100 }))?.channel.id,
    );
    expect(picks.filter((id) => id === 1)).toHaveLength(50);
  });

  it('leaves out channels without a usable key', () => {
    expect(order([channel(1, 0, 0, 0), channel(2)]).map((each) => each.channel.id)).toEqual([2]);
  });

  it('leaves out channels that cannot serve the request, whatever their weight', () => {
    const channels = [channel(1, 9, 0, 2), channel(2), channel(3, 5, 1)];
    const tries = order(channels, Math.random, ({ id }) => id === 2);
    expect(tries.map((each) => each.channel.id)).toEqual([2]);
  });

  it('does not come back to a channel that failed by itself', () => {
    const tiers = tiersOf([channel(1, 0, 0, 3)]);
    const tried = new Tried(new KeyTurns());
    const first = nextCandidate(tiers, tried, choice());
    if (first) tried.add(first);
    tried.ruleOut(channel(1));
    expect(nextCandidate(tiers, tried, choice())).toBeNull();
  });
});

describe('a conversation', () => {
  const conversations = Array.from({ length: 4_000 }, (_, i) => affinityOf(1, `session ${i}`));
  const homes = (channels: RoutedChannel[], more: Partial<Choice> = {}) =>
    conversations.map(
      (affinity) =>
        nextCandidate(tiersOf(channels), new Tried(new KeyTurns()), choice({ affinity, ...more }))?.channel
          .id ?? 0,
    );

  it('stays with its channel and key, whatever chance says and in whichever order the channels stand', () => {
    const channels = [channel(1, 0, 0, 3), channel(2, 0, 0, 3), channel(3, 0, 0, 3)];
    const first = homes(channels, { random: () => 0 });
    expect(homes(channels.toReversed(), { random: () => 0.99 })).toEqual(first);
    const keyOf = (random: () => number) =>
      nextCandidate(
        tiersOf(channels),
        new Tried(new KeyTurns()),
        choice({ affinity: conversations[0], random }),
      )?.key.id;
    expect(keyOf(() => 0)).toBe(keyOf(() => 0.99));
  });

  it('is one of many that share the channels by weight', () => {
    const found = homes([channel(1, 1), channel(2, 3), channel(3, 0)]);
    expect(found.filter((id) => id === 1).length / found.length).toBeCloseTo(0.25, 1);
    expect(found.filter((id) => id === 2).length / found.length).toBeCloseTo(0.75, 1);
    expect(found).not.toContain(3);
  });

  it('moves only when its own channel goes, and comes back with it', () => {
    const channels = [channel(1), channel(2), channel(3), channel(4)];
    const before = homes(channels);
    const after = homes(channels.filter(({ id }) => id !== 2));
    before.forEach((home, i) => {
      if (home !== 2) expect(after[i]).toBe(home);
    });
    expect(new Set(after.filter((_, i) => before[i] === 2))).toEqual(new Set([1, 3, 4]));
  });

  it("keeps to the highest priority, and is nobody else's", () => {
    expect(new Set(homes([channel(1, 0, 5), channel(2, 9, 0)]))).toEqual(new Set([1]));
    expect(affinityOf(1, 'a')).not.toBe(affinityOf(2, 'a'));
  });
});

describe('a channel that fails now and then', () => {
  it('gets less than its share, also of what it is drawn for', () => {
    const breakers = new CircuitBreakers();
    const [shaky, well] = [channel(1), channel(2)];
    const [key] = shaky.keys;
    if (!key) throw new Error('no key');
    for (let i = 0; i < 4; i++) {
      breakers.note({ channel: shaky, key }, 'm', {
        kind: 'failure',
        isLate: false,
        reason: { code: 'said', said: '' },
      });
      breakers.note({ channel: shaky, key }, 'm', { kind: 'success' });
    }
    expect(breakers.health(shaky, 'm')).toBeCloseTo(8 / 12, 1);
    const picks = Array.from(
      { length: 10_000 },
      () =>
        nextCandidate(tiersOf([shaky, well]), new Tried(new KeyTurns()), choice({ breakers }))?.channel.id,
    );
    // Shares of 8 to 12.
    expect(picks.filter((id) => id === 1).length / picks.length).toBeCloseTo(0.4, 1);
  });
});

describe('an open circuit breaker', () => {
  /** Opened by failures in a row. */
  const open = (breakers: CircuitBreakers, candidate: Candidate, failures = 5) => {
    for (let i = 0; i < failures; i++)
      breakers.note(candidate, 'm', { kind: 'failure', isLate: false, reason: { code: 'said', said: '' } });
  };
  const candidateOf = (of: RoutedChannel, at = 0): Candidate => {
    const key = of.keys[at];
    if (!key) throw new Error('no key');
    return { channel: of, key };
  };

  it('is passed over, also for a lower priority', () => {
    const breakers = new CircuitBreakers();
    const [high, low] = [channel(1, 0, 9), channel(2)];
    open(breakers, candidateOf(high));
    expect(
      nextCandidate(tiersOf([high, low]), new Tried(new KeyTurns()), choice({ breakers }))?.channel.id,
    ).toBe(2);
  });

  it('is asked when all are open: the one that closes first', () => {
    let now = 0;
    const breakers = new CircuitBreakers({ clock: () => now, random: () => 0.5 });
    const [first, second] = [channel(1), channel(2)];
    open(breakers, candidateOf(first));
    now = 3_000;
    open(breakers, candidateOf(second));
    const tiers = tiersOf([second, first]);
    const tried = new Tried(new KeyTurns());
    const asked = nextCandidate(tiers, tried, choice({ breakers }));
    expect(asked?.channel.id).toBe(1);
    if (asked) tried.add(asked);
    expect(nextCandidate(tiers, tried, choice({ breakers }))).toBeNull();
  });

  it('goes behind all others while a call probes it', () => {
    let now = 0;
    const breakers = new CircuitBreakers({ clock: () => now, random: () => 0.5 });
    const [probed, other] = [channel(1), channel(2)];
    open(breakers, candidateOf(probed));
    now = limits.failedOpenMs;
    breakers.begin(candidateOf(probed), 'm');
    open(breakers, candidateOf(other));
    const ask = (result: CallResult | null) => {
      const tried = new Tried(new KeyTurns());
      const asked = nextCandidate(tiersOf([probed, other]), tried, choice({ breakers }));
      if (!asked) throw new Error('nobody is asked');
      breakers.begin(asked, 'm');
      if (result) breakers.note(asked, 'm', result);
      return asked.channel.id;
    };
    const failed: CallResult = { kind: 'failure', isLate: false, reason: { code: 'said', said: '' } };
    expect(Array.from({ length: 3 }, () => ask(failed))).toEqual([2, 2, 2]);
    // When the probe has come to nothing, they take turns.
    breakers.note(candidateOf(probed), 'm', failed);
    expect(ask(failed)).toBe(1);
    // Alone it is asked all the same: waiting would be an outage of our own making.
    now += 2 * limits.failedOpenMs;
    breakers.begin(candidateOf(probed), 'm');
    const alone = nextCandidate(tiersOf([probed]), new Tried(new KeyTurns()), choice({ breakers }));
    expect(alone?.channel.id).toBe(1);
  });

  it('is asked too when those that are well cannot take the call', () => {
    const breakers = new CircuitBreakers();
    const [first, second] = [channel(1), channel(2)];
    open(breakers, candidateOf(first));
    const serves = ({ id }: RoutedChannel) => id === 1;
    const asked = nextCandidate(
      tiersOf([first, second]),
      new Tried(new KeyTurns()),
      choice({ breakers, serves }),
    );
    expect(asked?.channel.id).toBe(1);
  });

  it('is one key alone where only that was refused', () => {
    const breakers = new CircuitBreakers();
    const many = channel(1, 0, 0, 3);
    breakers.note(candidateOf(many, 1), 'm', { kind: 'busy', retryAfterSec: 60 });
    const keys = Array.from(
      { length: 50 },
      () => nextCandidate(tiersOf([many]), new Tried(new KeyTurns()), choice({ breakers }))?.key.id,
    );
    expect(new Set(keys)).toEqual(new Set([100, 102]));
  });

  it('is open for its model alone', () => {
    const breakers = new CircuitBreakers();
    const one = channel(1);
    open(breakers, candidateOf(one));
    expect([breakers.mayAsk(one, 'm'), breakers.mayAsk(one, 'other')]).toEqual([false, true]);
  });
});

describe('keys that take turns', () => {
  const polling = (keys: number): RoutedChannel => ({ ...channel(1, 0, 0, keys), keyMode: 'polling' });

  it('come one after the other, of conversations too, and those with an open breaker are passed over', () => {
    const turns = new KeyTurns();
    const breakers = new CircuitBreakers();
    const ask = (more: Partial<Choice> = {}) => {
      const tried = new Tried(turns);
      const next = nextCandidate(tiersOf([polling(3)]), tried, choice({ breakers, ...more }));
      // Looked at again before it is taken: that is nobody's turn.
      expect(nextCandidate(tiersOf([polling(3)]), tried, choice({ breakers }))?.key.id).toBe(next?.key.id);
      if (next) tried.add(next);
      return next?.key.id;
    };
    expect(Array.from({ length: 7 }, () => ask())).toEqual([100, 101, 102, 100, 101, 102, 100]);
    expect(Array.from({ length: 3 }, () => ask({ affinity: affinityOf(1, 'a') }))).toEqual([101, 102, 100]);
    const [, second] = polling(3).keys;
    if (second) breakers.note({ channel: polling(3), key: second }, 'm', { kind: 'refused' });
    expect(Array.from({ length: 4 }, () => ask())).toEqual([102, 100, 102, 100]);
  });

  it('go on after the last one when the list changes', () => {
    const turns = new KeyTurns();
    const { keys } = polling(4);
    const [first, second] = keys;
    if (!first || !second) throw new Error('no keys');
    turns.take({ channel: polling(4), key: second });
    expect(turns.next({ id: 1, keys: keys.filter(({ id }) => id !== second.id) })).toBe(1);
    expect(turns.next({ id: 1, keys: [first] })).toBe(0);
  });

  it('begin again at the first key when more channels take turns than are remembered', () => {
    const turns = new KeyTurns();
    const two = polling(2);
    const take = (id: number) => {
      const [key] = two.keys;
      if (key) turns.take({ channel: { ...two, id }, key });
    };
    take(0);
    for (let id = 1; id < limits.keyTurns; id++) take(id);
    expect(turns.next({ id: 0, keys: two.keys })).toBe(1);
    take(limits.keyTurns);
    expect(turns.next({ id: 0, keys: two.keys })).toBe(0);
    expect(turns.next({ id: limits.keyTurns, keys: two.keys })).toBe(1);
  });
});
