import { expect, it, jest } from 'bun:test';
import { limits } from '../core/limits.ts';
import { ComingBodies } from './coming-bodies.ts';

/** Begins a body of whoever goes by these names; what is told of those that gave way is their label. */
function setUp(most: number) {
  const bodies = new ComingBodies(() => most);
  const gone: string[] = [];
  const begin = (label: string, ...names: string[]) => {
    const held = bodies.of(...names).hold();
    const leave = held.comes(({ code }) => void gone.push(`${label} ${code}`));
    return { ...held, leave };
  };
  return { bodies, gone, begin };
}

it('has a place for whoever comes: who has stood still the longest gives way', () => {
  const { bodies, gone, begin } = setUp(2);
  begin('first', 'a');
  const second = begin('second', 'b');
  begin('third', 'c');
  expect([gone, bodies.open]).toEqual([['first OVERLOADED'], 2]);
  second.leave();
  second.leave();
  expect(bodies.open).toBe(1);
  begin('fourth', 'd');
  expect(gone).toHaveLength(1);
});

it('has a share for each name, in which his own give way', () => {
  const { gone, begin } = setUp(4);
  begin('other', 'user:2', 'network:1');
  for (const n of [1, 2, 3, 4]) begin(`his ${n}`, 'user:1', `network:${n + 1}`);
  expect(gone).toEqual(['his 1 OVERLOADED']);
});

it('tells by the pace of what comes who stands still, and takes no drops for it', () => {
  jest.useFakeTimers();
  try {
    const { gone, begin } = setUp(3);
    const [first, second] = [begin('first', 'a'), begin('second', 'b'), begin('third', 'c')];
    jest.advanceTimersByTime(10_000);
    first?.grow(10 * limits.bodyBytesASecond);
    second?.grow(10);
    begin('fourth', 'd');
    begin('fifth', 'e');
    expect(gone).toEqual(['second OVERLOADED', 'third OVERLOADED']);
  } finally {
    jest.useRealTimers();
  }
});

it('takes a pause for no standing still as long as it has come ahead of its pace, but for a while', () => {
  jest.useFakeTimers();
  try {
    const { gone, begin } = setUp(2);
    const phone = begin('phone', 'a');
    jest.advanceTimersByTime(1_000);
    phone.grow(10 * limits.bodyBytesASecond);
    begin('head', 'b');
    jest.advanceTimersByTime(limits.bodyAheadMs - 1);
    begin('another', 'c');
    expect(gone).toEqual(['head OVERLOADED']);
    // Where all are ahead of it, the one whose last piece came first.
    const quick = begin('quick', 'd');
    quick.grow(2 * limits.bodyBytesASecond);
    begin('late', 'e');
    expect(gone.slice(1)).toEqual(['another OVERLOADED', 'phone OVERLOADED']);
    jest.advanceTimersByTime(limits.bodyAheadMs);
    begin('last', 'f');
    expect(gone.slice(3)).toEqual(['quick OVERLOADED']);
  } finally {
    jest.useRealTimers();
  }
});

it('need not be told how the first come, of many places, and has them give way last', () => {
  const most = 2 / limits.comingUnseenPart;
  const { gone, begin } = setUp(most);
  const all = Array.from({ length: most + 2 }, (_, n) => begin(`${n}`, `${n}`));
  expect(all.slice(0, 4).map(({ toldByPiece }) => toldByPiece?.())).toEqual([false, false, false, false]);
  expect(gone).toEqual(['2 OVERLOADED', '3 OVERLOADED']);
  for (const { leave } of all) leave();
  expect(begin('again', 'a').toldByPiece?.()).toBe(false);
});

it('lets go of what has come, or is given up', () => {
  const { bodies, begin } = setUp(2);
  const held = begin('a', 'a');
  held.release();
  held.grow(1);
  held.leave();
  expect(bodies.open).toBe(0);
});
