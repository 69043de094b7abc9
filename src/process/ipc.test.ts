import { expect, it } from 'bun:test';
import { Line } from './ipc.ts';

/** Two ends that hear each other, as text on the way. */
function pair(): [Line, Line] {
  const left: Line = new Line((message) => right.receive(JSON.parse(JSON.stringify(message))));
  const right: Line = new Line((message) => left.receive(JSON.parse(JSON.stringify(message))));
  return [left, right];
}

it('carries orders, and questions with their answers, both ways', async () => {
  const [parent, worker] = pair();
  const orders: unknown[] = [];
  worker.onTell('stop', (value) => orders.push(value));
  parent.tell('stop', { in: 5 });
  expect(orders).toEqual([{ in: 5 }]);

  parent.onAsk('living', () => ['a', 'b']);
  worker.onAsk('double', async (value) => Number(value) * 2);
  expect(await worker.ask('living', 1_000)).toEqual(['a', 'b']);
  expect(await parent.ask('double', 1_000, 21)).toBe(42);
});

it('answers each question by its own answer, in whatever order they come', async () => {
  const [parent, worker] = pair();
  const held = Promise.withResolvers<string>();
  worker.onAsk('slow', () => held.promise);
  worker.onAsk('quick', () => 'quick');
  const slow = parent.ask('slow', 1_000);
  expect(await parent.ask('quick', 1_000)).toBe('quick');
  held.resolve('slow');
  expect(await slow).toBe('slow');
});

it('gives up on an end that does not answer', async () => {
  const deaf = new Line(() => undefined);
  expect(await deaf.ask('anything', 10)).toBeUndefined();
});

it('ignores what is no message of ours', () => {
  const [line] = pair();
  for (const noise of [null, 'hello', { kind: 'other' }, { kind: 'answer', id: 99, value: 1 }]) {
    expect(() => line.receive(noise)).not.toThrow();
  }
});
