import { expect, it } from 'bun:test';
import { codeOf } from '../../../tests/support/code-of.ts';
import { heavyTurn } from '../shares.ts';
import { HeavyTurns } from './heavy-turns.ts';

const turn = { who: 'one' };
const stays = () => new AbortController().signal;

it('the others have theirs between two turns for heavy bodies', async () => {
  const turns = new HeavyTurns();
  const order: string[] = [];
  const taken = ['first', 'second'].map(async (name) => {
    await turns.take(turn, stays());
    order.push(name);
  });
  setImmediate(() => order.push('others'));
  await Promise.all(taken);
  expect(order).toEqual(['first', 'others', 'second']);
});

it('one has no more turns than another by how much he sends', async () => {
  const heavyTurns = new HeavyTurns();
  const order: number[] = [];
  const taken = [1, 1, 1, 1, 1, 2].map(async (userId) => {
    await heavyTurn({ userId }, { heavyTurns })(stays());
    order.push(userId);
  });
  await Promise.all(taken);
  expect(order.indexOf(2)).toBeLessThan(3);
});

it('who leaves before his turn is passed over, and who leaves in it keeps it from nobody', async () => {
  const turns = new HeavyTurns();
  const leaving = new AbortController();
  await turns.take(turn, leaving.signal);
  const waits = codeOf(turns.take(turn, leaving.signal));
  const next = turns.take({ ...turn, who: 'other' }, stays());
  leaving.abort();
  expect(await waits).toBe('OVERLOADED');
  await next;
});

it('more than may wait of one are refused, with when to come again', async () => {
  const turns = new HeavyTurns({ ofOneWaitingMax: 1 });
  const taken = [1, 2].map(() => turns.take(turn, stays()));
  await expect(turns.take(turn, stays())).rejects.toMatchObject({
    code: 'RATE_LIMIT',
    detail: { retryAfterSec: expect.any(Number) },
  });
  await Promise.all(taken);
});
