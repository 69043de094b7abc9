import { expect, it } from 'bun:test';
import { Drain, DrainGate } from './drain.ts';

it('takes one place and one deadline, however often it begins and ends', async () => {
  const gate = new DrainGate(2);
  const drain = new Drain(gate, 10_000);
  drain.end();
  expect([drain.begin(), gate.open]).toEqual([true, 1]);
  const { leftMs } = drain;
  await Bun.sleep(5);
  expect([drain.begin(), gate.open]).toEqual([true, 1]);
  expect(drain.leftMs).toBeLessThan(leftMs);
  drain.end();
  drain.end();
  expect(gate.open).toBe(0);
});

it('is refused when all places are taken, or where nothing is to be read on', () => {
  const gate = new DrainGate(1);
  expect(new Drain(gate, 0).begin()).toBe(false);
  expect(new Drain(gate, 10).begin()).toBe(true);
  const refused = new Drain(gate, 10);
  expect(refused.begin()).toBe(false);
  refused.end();
  expect(gate.open).toBe(1);
});
