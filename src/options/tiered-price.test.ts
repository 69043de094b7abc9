import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { DECIMAL_ONE, decimalOf, decimalText } from '../core/decimal.ts';
import { ratiosOfTier, shortTiers, type TieredPrice, tieredPrices } from './tiered-price.ts';

/** Dollars as people type them: up to six places. */
const usd = fc.integer({ min: 1, max: 1_000_000_000 }).map((n) => n / 1_000_000);

describe('a tier in dollars', () => {
  it('becomes the factors of the formula', () => {
    const ratios = ratiosOfTier({
      up_to: null,
      input: 1.25,
      output: 10,
      cache_read: 0.125,
      cache_write: 1.5625,
    });
    const text = Object.fromEntries(
      Object.entries(ratios).map(([name, value]) => [name, decimalText(value)]),
    );
    expect(text).toEqual({ model: '0.625', completion: '8', cacheRead: '0.1', cacheWrite: '1.25' });
  });

  it('leaves out what it has no price for', () => {
    expect(Object.keys(ratiosOfTier({ up_to: null, input: 1, output: 1 }))).toEqual(['model', 'completion']);
  });

  it('gives the price back to ten significant digits, and ratios that a number tells exactly', () => {
    fc.assert(
      fc.property(usd, usd, (input, output) => {
        const { model, completion } = ratiosOfTier({ up_to: null, input, output });
        const dollars = (Number(model) * 2 * Number(completion)) / Number(DECIMAL_ONE) ** 2;
        // A quotient of twelve places is least exact where the output costs next to nothing beside the input.
        expect(Math.abs(dollars - output)).toBeLessThanOrEqual(output * 1e-10 + input * 1e-12);
        for (const ratio of [model, completion]) expect(decimalOf(Number(decimalText(ratio)))).toBe(ratio);
      }),
    );
  });
});

describe('the text of tiered prices', () => {
  it('takes a plain list as tiers by the length of the input', () => {
    const tiers = [{ up_to: null, input: 1, output: 2 }];
    expect(tieredPrices.parse({ a: tiers, b: { by: 'month', tiers } })).toEqual({
      a: { by: 'input', tiers },
      b: { by: 'month', tiers },
    });
  });

  it('says what it reads', () => {
    const price = (by: TieredPrice['by']) =>
      fc.tuple(usd, usd, usd).map(
        ([input, output, cache_read]): TieredPrice => ({
          by,
          tiers: [
            { up_to: 1000, input, output },
            { up_to: null, input: output, output: input, cache_read },
          ],
        }),
      );
    const prices = fc.dictionary(
      fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
      fc.oneof(price('input'), price('month')),
    );
    fc.assert(
      fc.property(prices, (given) => {
        const short = Object.entries(given).map(([model, tiered]) => [model, shortTiers(tiered)]);
        const text = JSON.stringify(Object.fromEntries(short));
        expect(tieredPrices.parse(JSON.parse(text))).toEqual({ ...given });
      }),
    );
  });
});
