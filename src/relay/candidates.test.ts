import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import type { RoutedChannel, Tier } from '../modules/channel/model.ts';
import { nextCandidate, Tried } from './candidates.ts';

const channel = (id: number, weight = 0, priority = 0, keys = 1): RoutedChannel => ({
  id,
  type: 1,
  name: `c${id}`,
  status: 1,
  baseUrl: '',
  privateAllowed: false,
  organization: '',
  other: '',
  keys: Array.from({ length: keys }, (_, i) => ({ id: id * 100 + i, value: 'k' })),
  models: ['m'],
  groups: ['default'],
  modelMapping: {},
  statusCodeMapping: {},
  setting: {
    proxy: null,
    forceFormat: false,
    thinkingToContent: false,
    systemPrompt: '',
    systemPromptOverride: false,
    deadlines: {},
    headers: {},
  },
  paramOverride: null,
  priority,
  weight,
  autoBan: true,
  maxInputTokens: 0,
  testModel: '',
  tag: '',
});

const tiersOf = (channels: RoutedChannel[]): Tier[] => {
  const priorities = [...new Set(channels.map(({ priority }) => priority))].sort((a, b) => b - a);
  return priorities.map((priority) => ({
    priority,
    channels: channels.filter((each) => each.priority === priority),
  }));
};

const all = () => true;

/** The order in which a request would try everything. */
const order = (channels: RoutedChannel[], random = Math.random, serves = (_: RoutedChannel) => true) => {
  const tiers = tiersOf(channels);
  const tried = new Tried();
  const out = [];
  for (
    let next = nextCandidate(tiers, tried, serves, random);
    next;
    next = nextCandidate(tiers, tried, serves, random)
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
      (_, i) => nextCandidate(tiers, new Tried(), all, () => i / 400)?.channel.id,
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
      const tried = new Tried();
      tried.ruleOut(channel(3));
      return nextCandidate(tiers, tried, all, random)?.channel.id;
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
      (_, i) => nextCandidate(tiers, new Tried(), all, () => i / 100)?.channel.id,
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
    const tried = new Tried();
    const first = nextCandidate(tiers, tried, all);
    if (first) tried.add(first);
    tried.ruleOut(channel(1));
    expect(nextCandidate(tiers, tried, all)).toBeNull();
  });
});
