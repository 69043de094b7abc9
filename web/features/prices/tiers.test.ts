import { describe, expect, it } from 'bun:test';
import { NO_TIER, readTiers, sameTiers, type Tiered, tierList, tierRows } from './tiers.ts';

const tiered: Tiered = {
  by: 'input',
  tiers: [
    { up_to: 200_000, input: 1.25, output: 10, output_thinking: 20, cache_read: 0.31 },
    { up_to: null, input: 2.5, output: 15 },
  ],
};

describe('tiers as rows', () => {
  it('say the same when they are read again', () => {
    expect(readTiers(tierRows(tiered))).toEqual({ ok: true, tiers: tiered.tiers });
  });

  it('want numbers, steps that grow, and no price on top of a price of 0', () => {
    const row = { ...NO_TIER, input: '1', output: '2' };
    const errors = (...rows: (typeof NO_TIER)[]) => {
      const read = readTiers(rows);
      return read.ok ? [] : read.errors;
    };
    expect(errors({ ...row, output: 'x', cacheRead: '-1' })).toEqual([
      { output: 'prices.notNumber', cacheRead: 'prices.notNumber' },
    ]);
    expect(errors({ ...row, output: '0.1234567890123' })).toEqual([{ output: 'prices.notNumber' }]);
    expect(errors({ ...row, upTo: '1e3' }, row)).toEqual([{ upTo: 'setting.notWhole' }, {}]);
    expect(errors({ ...row, upTo: '10' }, { ...row, upTo: '10' }, row)).toEqual([
      {},
      { upTo: 'prices.tierMustGrow' },
      {},
    ]);
    expect(errors({ ...row, input: '0' })).toEqual([{ output: 'prices.zeroPrice' }]);
    expect(errors({ ...row, input: '0', output: '0' })).toEqual([]);
    expect(errors({ ...row, thinking: 'x' })).toEqual([{ thinking: 'prices.notNumber' }]);
  });

  it('are told in a line', () => {
    expect(tierList(tiered)).toBe('≤200000 $1.25/$10/$20, ∞ $2.5/$15');
  });

  it('are compared by what they say', () => {
    const turned = { tiers: tiered.tiers.map(({ output, ...tier }) => ({ output, ...tier })), by: tiered.by };
    expect(sameTiers(tiered, turned)).toBe(true);
    expect(sameTiers(tiered, { ...tiered, by: 'month' })).toBe(false);
    expect(sameTiers(tiered, null)).toBe(false);
  });
});
