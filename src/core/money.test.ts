import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { formatAmount, formatNumber, formatRate, formatSeconds, type MoneyRules } from './money.ts';

const zh: MoneyRules = { quotaPerUnit: 500_000, price: 7.3, inCurrency: true, locale: 'zh' };
const en: MoneyRules = { ...zh, locale: 'en' };

describe('formatAmount', () => {
  it('cuts off after two decimals and never rounds', () => {
    expect(formatAmount(9_500, en).text).toBe('$0.01'); // 0.019
    expect(formatAmount(-9_500, en).text).toBe('−$0.01');
    expect(formatAmount(2_450, zh).text).toBe('¥0.03'); // 0.03577
    expect(formatAmount(2_450, en).text).toBe('$0.0049');
    expect(formatAmount(999_999, en).text).toBe('$1.99');
  });

  it('shows yuan by the price rate in Chinese and dollars otherwise', () => {
    expect(formatAmount(500_000, zh).text).toBe('¥7.30');
    expect(formatAmount(500_000, en).text).toBe('$1.00');
  });

  it('keeps the first digits where money would read 0.00', () => {
    expect(formatAmount(325, zh)).toEqual({
      text: '¥0.004745',
      units: '325',
      exact: '¥0.004745',
      belowCent: true,
    });
    expect(formatAmount(-325, en)).toMatchObject({ text: '−$0.00065', exact: '−$0.00065', belowCent: true });
    expect(formatAmount(3_063, en).text).toBe('$0.006126');
    const odd = { ...zh, quotaPerUnit: 300_007 };
    expect(formatAmount(100, odd)).toMatchObject({ text: '¥0.002433', exact: '¥0.0024332765' });
    expect(formatAmount(1, en).text).toBe('$0.000002');
    expect(formatAmount(1, { ...en, quotaPerUnit: 1e12 }).text).toBe('1 unit');
    expect(formatAmount(0, zh)).toMatchObject({ text: '¥0.00', belowCent: false });
  });

  it('groups thousands and shows units when amounts are not shown in currency', () => {
    expect(formatAmount(500_000_000_000, zh).text).toBe('¥7,300,000.00');
    expect(formatAmount(1_234_567, { ...zh, inCurrency: false })).toMatchObject({
      text: '1,234,567',
      exact: null,
    });
  });

  it('stays exact for the largest balance', () => {
    expect(formatAmount(Number.MAX_SAFE_INTEGER, en).text).toBe('$18,014,398,509.48');
  });

  it('never shows more than there is, and less than a cent less', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 1, max: 100_000 }), (quota, price) => {
        const rules: MoneyRules = { ...zh, price: price / 1_000 };
        const { text, belowCent } = formatAmount(quota, rules);
        const cents = BigInt(text.replace(/[^\d]/g, '')) * (text.startsWith('−') ? -1n : 1n);
        if (belowCent) {
          const value = Math.abs(quota * price) / 5e8;
          const told = Number(text.replace(/[−¥]/g, ''));
          expect(told).toBeLessThanOrEqual(value * (1 + 1e-9));
          expect(told).toBeGreaterThan(value * 0.999);
          expect(text.startsWith('−')).toBe(quota < 0);
        }
        const shown = belowCent ? 0n : cents;
        // Cents times what a cent costs, compared without a division: quota × price against cents × 5,000 × 1,000.
        const real = BigInt(quota) * BigInt(price);
        const short = real - shown * 5_000_000n;
        expect(quota >= 0 ? short >= 0n && short < 5_000_000n : short <= 0n && short > -5_000_000n).toBe(
          true,
        );
        expect(belowCent).toBe(quota !== 0 && shown === 0n);
        if (quota !== 0) expect(text).not.toMatch(/^\D*0\.00$/);
      }),
    );
  });
});

describe('the other numbers', () => {
  it('keeps a rate to six significant digits', () => {
    expect(formatRate(0.0750000001)).toBe('0.075');
    expect(formatRate(2.5)).toBe('2.5');
    expect(formatRate(1234.5678)).toBe('1234.57');
  });

  it('writes durations as short as they can be compared', () => {
    expect(formatSeconds(0.829, 'en')).toBe('0.82 s');
    expect(formatSeconds(12.49, 'en')).toBe('12.4 s');
    expect(formatSeconds(125.9, 'en')).toBe('2 min 5 s');
    expect(formatSeconds(0.829, 'zh')).toBe('0.82 秒');
    expect(formatSeconds(12.49, 'zh')).toBe('12.4 秒');
    expect(formatSeconds(125.9, 'zh')).toBe('2 分 5 秒');
  });

  it('writes a real minus', () => {
    expect(formatNumber(-1234)).toBe('−1,234');
  });
});
