import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { channel } from '../../../tests/support/routed-channel.ts';
import { ChannelIndex } from './channel-index.ts';
import type { RoutedChannel } from './model.ts';

const ids = [1, 2, 3, 4];
const names = ['a', 'b', 'c'];

const anyChannel = fc.record({
  id: fc.constantFrom(...ids),
  gone: fc.boolean(),
  status: fc.constantFrom(1, 2, 3),
  priority: fc.integer({ min: 0, max: 2 }),
  groups: fc.uniqueArray(fc.constantFrom('default', 'vip'), { minLength: 1 }),
  models: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
});

/** Everything that can be looked up. */
const seen = (index: ChannelIndex) => ({
  all: index.all(),
  tiers: ['default', 'vip'].map((group) => names.map((model) => index.tiers(group, model))),
  models: ['default', 'vip'].map((group) => index.models(group)),
  groups: names.map((model) => [...index.groupsOf(model)].sort()),
  knows: names.map((model) => index.knows(model)),
});

describe('the index of channels', () => {
  it('after any changes says the same as one made of what is left', () => {
    fc.assert(
      fc.property(fc.array(anyChannel, { maxLength: 30 }), (changes) => {
        const index = new ChannelIndex();
        const left = new Map<number, RoutedChannel>();
        for (const { id, gone, ...over } of changes) {
          const next = gone ? null : { ...channel(id), ...over };
          index.put(id, next);
          if (next) left.set(id, next);
          else left.delete(id);
          // Looking things up in between must not keep an old answer alive.
          seen(index);
        }
        expect(seen(index)).toEqual(seen(new ChannelIndex(left.values())));
      }),
    );
  });

  it('keeps the tiers of a model as they are while other models change', () => {
    const one = { ...channel(1), models: ['a'] };
    const index = new ChannelIndex([one, { ...channel(2), models: ['b'] }]);
    const before = index.tiers('default', 'a');
    index.put(2, { ...channel(2), models: ['b'], priority: 9 });
    expect(index.tiers('default', 'a')).toBe(before);
    index.put(1, { ...one, priority: 1 });
    expect(index.tiers('default', 'a')).not.toBe(before);
  });
});
