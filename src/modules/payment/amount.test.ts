import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { DECIMAL_ONE, decimalOf } from '../../core/decimal.ts';
import { moneyOf, moneyText, payable, type TopupTerms } from './amount.ts';

const decimal = (text: string) => decimalOf(text) ?? 0n;
const terms = (over: Partial<TopupTerms> = {}): TopupTerms => ({
  price: decimal('7.3'),
  groupRatio: DECIMAL_ONE,
  discount: DECIMAL_ONE,
  quotaPerUnit: 500_000,
  places: 2,
  ...over,
});
const dollars = (count: number) => BigInt(count) * 500_000n;

describe('what a top-up costs', () => {
  it.each([
    [1, {}, '7.30'],
    [100, { groupRatio: '0.95' }, '693.50'],
    [100, { groupRatio: '0.95', discount: '0.9' }, '624.15'],
    // 0.125 and 0.135 of a yuan: half a cent goes up, whatever stands before it.
    [1, { price: '0.125' }, '0.13'],
    [1, { price: '0.135' }, '0.14'],
    [1, { price: '0.1349999' }, '0.13'],
    [1, { price: '0.0001' }, '0.01'],
    [3, { price: '150', places: 0 }, '450'],
    [1, { price: '150.5', places: 0 }, '151'],
  ] as [number, { price?: string; groupRatio?: string; discount?: string; places?: number }, string][])(
    '%d dollars on %j',
    (count, { price = '7.3', groupRatio = '1', discount = '1', places = 2 }, text) => {
      const all = terms({
        price: decimal(price),
        groupRatio: decimal(groupRatio),
        discount: decimal(discount),
        places,
      });
      expect(moneyText(payable(dollars(count), all), all.places)).toBe(text);
    },
  );

  it('never falls when more is bought, and never asks for nothing', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(amount, amount, fc.bigInt({ min: 1n, max: 10n ** 16n }), (a, b, price) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(payable(less, terms({ price }))).toBeGreaterThanOrEqual(1n);
        expect(payable(more, terms({ price }))).toBeGreaterThanOrEqual(payable(less, terms({ price })));
      }),
    );
  });

  it('is within half of the smallest unit of the exact price', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 13n }),
        fc.bigInt({ min: DECIMAL_ONE / 10n, max: 100n * DECIMAL_ONE }),
        (quota, price) => {
          const all = terms({ price });
          const scale = 500_000n * DECIMAL_ONE;
          const exact = quota * price * 100n;
          const paid = payable(quota, all);
          const off = paid * scale - exact;
          fc.pre(paid > 1n);
          expect(2n * off <= scale && 2n * off > -scale).toBe(true);
        },
      ),
    );
  });
});

describe('money in texts', () => {
  it('is read as it is written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.constantFrom(0, 2, 3), (minor, places) => {
        expect(moneyOf(moneyText(minor, places), places)).toBe(minor);
      }),
    );
  });

  it.each([
    ['7.3', 730],
    ['7', 700],
    ['7.300', 730],
    ['07.30', 730],
    ['7.301', null],
    ['-7.30', null],
    ['7,30', null],
    ['1e3', null],
    ['', null],
    ['NaN', null],
  ] as const)('%j is %p cents', (text, cents) => {
    expect(moneyOf(text, 2)).toBe(cents === null ? null : BigInt(cents));
  });
});
