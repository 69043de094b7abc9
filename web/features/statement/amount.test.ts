import { describe, expect, it } from 'bun:test';
import type { MoneyRules } from '@core/money.ts';
import fc from 'fast-check';
import { amountShown, unitsShownAs } from './amount.ts';

const zh: MoneyRules = { quotaPerUnit: 500_000, price: 7.3, inCurrency: true, locale: 'zh' };
const en: MoneyRules = { ...zh, locale: 'en' };

describe('an amount that is looked for', () => {
  it.each([
    ['1', en, 500_000, 504_999],
    ['$1,000.00', en, 500_000_000, 500_004_999],
    ['¥7.30', zh, 500_000, 500_684],
    ['￥0.03', zh, 2_055, 2_739],
    ['0', en, 0, 4_999],
    ['2,450', { ...zh, inCurrency: false }, 2_450, 2_450],
  ])('%s is all that is shown so', (typed, rules, least, most) => {
    expect(unitsShownAs(typed, rules)).toEqual({ least, most });
  });

  it.each(['', 'x', '-1', '1.2.3', '9'.repeat(30)])('%j is none', (typed) => {
    expect(unitsShownAs(typed, en)).toBeNull();
  });

  it('finds every amount by what is shown of it', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(zh, en), (units, rules) => {
        const shown = amountShown(units, rules);
        const { least = 0, most = 0 } = unitsShownAs(shown, rules) ?? {};
        expect([least <= units, units <= most]).toEqual([true, true]);
        // What stands in the field of either end is read as it was.
        expect([amountShown(least, rules), amountShown(most, rules)]).toEqual([shown, shown]);
      }),
    );
  });
});
