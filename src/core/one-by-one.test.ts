import { expect, it } from 'bun:test';
import { OneByOne } from './one-by-one.ts';

it('does what is about one thing in its order, whatever becomes of it, and waits for nothing else', async () => {
  const works = new OneByOne<object>();
  const [one, other] = [{}, {}];
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const failing = works.do(one, async () => {
    await first.promise;
    done.push('first');
    throw new Error('of no use');
  });
  const second = works.do(one, async () => done.push('second'));
  await works.do(other, async () => done.push('other'));
  expect(done).toEqual(['other']);
  first.resolve();
  expect(await failing.catch(({ message }: Error) => message)).toBe('of no use');
  expect(await second).toBe(3);
  expect(done).toEqual(['other', 'first', 'second']);
});
