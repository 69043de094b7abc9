import { describe, expect, test } from 'bun:test';
import { formatAmount } from '@core/money.ts';
import { axisTicks, coloursOf, logSearch, shortText } from './series.ts';

const rules = { quotaPerUnit: 500_000, price: 7.3, inCurrency: true, locale: 'zh' as const };

describe('a chart', () => {
  test('has round amounts on its axis, whatever is shown', () => {
    const yuan = axisTicks(16_500_000, 'quota', rules);
    expect(yuan.map((one) => formatAmount(one, rules).text)).toEqual([
      '¥0.00',
      '¥100.00',
      '¥200.00',
      '¥300.00',
      '¥400.00',
    ]);
    expect(axisTicks(16_500_000, 'quota', { ...rules, locale: 'en' })).toEqual([
      0, 5_000_000, 10_000_000, 15_000_000, 20_000_000,
    ]);
    const texts = (most: number) =>
      axisTicks(most, 'quota', rules).map((one) => shortText(one, 'quota', rules));
    expect(texts(270)).toEqual(['¥0', '¥0.001', '¥0.002', '¥0.003', '¥0.004']);
    expect(texts(1_000)).toEqual(['¥0', '¥0.01', '¥0.02', '¥0.03', '¥0.04']);
    expect(axisTicks(9, 'calls', rules)).toEqual([0, 5, 10, 15, 20]);
    expect(axisTicks(3, 'calls', rules)).toEqual([0, 1, 2, 3, 4]);
    expect(axisTicks(0, 'quota', rules)[0]).toBe(0);
    expect(shortText(1_234_567, 'tokens', rules)).toBe('1.2M');
    expect(shortText(834, 'first', rules)).toBe('0.83 秒');
    expect(shortText(12_400, 'first', { ...rules, locale: 'en' })).toBe('12.4 s');
    expect(shortText(yuan[1] ?? 0, 'quota', rules)).toBe('¥100');
  });

  test('gives a name its colour whatever stands beside it, and no two the same', () => {
    expect(coloursOf(['gpt-4o']).get('gpt-4o')).toBe(coloursOf(['gpt-4o', 'zz']).get('gpt-4o'));
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(new Set(coloursOf(keys).values()).size).toBe(5);
    expect(coloursOf(keys).has('f')).toBe(false);
    // In a picture beside it a name keeps the colour that it had to give way to there, too.
    const first = coloursOf(keys);
    const second = coloursOf(['x', 'e', 'y', 'c', 'z'], first);
    expect([second.get('e'), second.get('c')]).toEqual([first.get('e'), first.get('c')]);
    expect(new Set(second.values()).size).toBe(5);
  });
});

test.each([
  ['model', { key: 'gpt-4o', name: 'gpt-4o' }, { model: '"gpt-4o"' }],
  ['token', { key: '7', name: 'laptop' }, { tokenId: '7' }],
  ['token', { key: '8', name: '' }, { tokenId: '8' }],
  ['token', { key: '0', name: '' }, null],
  ['channel', { key: '3', name: '' }, { channel: '3' }],
  ['user', { key: '2', name: 'una' }, { user: 'una' }],
  ['group', { key: '', name: '' }, null],
  ['code', { key: 'upstream_error', name: 'upstream_error' }, { code: 'upstream_error' }],
] as const)('a %s leads to its own calls: %j', (dimension, one, search) => {
  expect(logSearch(one, dimension)).toEqual(search);
});
