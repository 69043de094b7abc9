import { describe, expect, it } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { MeasuringBudget, OverBudget } from './measuring-budget.ts';
import { PaidBytes } from './paid-bytes.ts';

const MIB = 1024 * 1024;
const word = Buffer.from('word');

/** What a look at so many bytes of nothing costs. */
function costOf(look: (bytes: PaidBytes) => void, bytes = Buffer.alloc(MIB)): number {
  const budget = new MeasuringBudget();
  const before = budget.left;
  look(new PaidBytes(bytes, budget));
  return before - budget.left;
}

describe('bytes that are paid for', () => {
  it.each<[what: string, look: (bytes: PaidBytes) => void, least: number]>([
    ['looked through', (bytes) => bytes.find(word), MIB / 4096],
    ['looked through from their end', (bytes) => bytes.findLast(word), MIB / 4096],
    ['looked through for all', (bytes) => Array.from(bytes.places(word)), MIB / 4096],
    ['copied', (bytes) => bytes.replaced([{ from: 0, to: 1, by: 1 }]), MIB / 4096],
    ['gone through', (bytes) => bytes.walk(() => undefined), MIB / 192],
    ['shown', (bytes) => bytes.near(0, 1), 1],
  ])('cost when they are %s', (_, look, least) => {
    expect(costOf(look)).toBeGreaterThanOrEqual(least);
  });

  it('cost by what they unpack to, and no more of it is there than was paid for', () => {
    expect(costOf((bytes) => bytes.unpacked(), deflateSync(Buffer.alloc(MIB)))).toBeGreaterThanOrEqual(
      MIB / 96,
    );
    const much = deflateSync(Buffer.alloc(32 * MIB));
    expect(() => costOf((bytes) => bytes.unpacked(), much)).toThrow(OverBudget);
  });

  it('cost no less where what they unpack to breaks at its end, again and again', () => {
    const broken = deflateSync(Buffer.alloc(MIB));
    broken.writeUInt32BE(0, broken.length - 4);
    const budget = new MeasuringBudget();
    const unpack = () => new PaidBytes(broken, budget).unpacked();
    const before = budget.left;
    expect(unpack).toThrow();
    expect(before - budget.left).toBeGreaterThanOrEqual(MIB / 96);
    for (let n = 0; n < 32 && budget.left > 0; n++) expect(unpack).toThrow();
    expect(budget.left).toBe(0);
    const few = Buffer.from('no stream of any kind');
    expect(() => costOf((bytes) => expect(() => bytes.unpacked()).toThrow(), few)).not.toThrow();
  });

  it('are shown a few at a time', () => {
    const bytes = new PaidBytes(Buffer.from('a word of many'), new MeasuringBudget());
    expect([bytes.near(2, 4), bytes.near(-2, 3), bytes.near(-9, 3), bytes.near(10, 9)]).toEqual([
      'word',
      'a',
      '',
      'many',
    ]);
    expect(new PaidBytes(Buffer.alloc(MIB), new MeasuringBudget()).near(0, MIB).length).toBe(256);
    expect([bytes.find(word), bytes.findLast(word), bytes.find(word, 3)]).toEqual([2, 2, -1]);
  });
});
