import { expect, it } from 'bun:test';
import { channel } from '../../../tests/support/routed-channel.ts';
import { limits } from '../../core/limits.ts';
import { OwnBreakers } from './own-breakers.ts';

const candidate = { channel: channel(1), key: { id: 100, value: 'k' } };
const place = { id: 100, userId: 7, supplier: 'Echo', key: 'k' };

it('few models of a key are remembered, whatever names its owner makes up', () => {
  const breakers = new OwnBreakers();
  const most = limits.ownBreakerModels;
  for (let n = 0; n < 3 * most; n++)
    breakers.note(candidate, place, `m${n}`, { kind: 'busy', retryAfterSec: 60 });
  expect(breakers.of(place.userId).openCount).toBe(most);
  const refused = [`m${3 * most - 1}`, 'm0', 'another'].map(
    (model) => breakers.refusal(candidate, place, model) !== null,
  );
  expect(refused).toEqual([true, false, false]);
});
