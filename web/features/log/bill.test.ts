import { expect, it } from 'bun:test';
import { translatorFor } from '../../lib/translator-for.ts';
import { dollarsOf, tierText, weightedText } from './bill.tsx';

const t = translatorFor('en');

it.each([
  [
    { by: 'input' as const, from: 0, upTo: 200_000, count: 17 },
    'Tier up to 200,000 tokens of input; this call has 17',
  ],
  [
    { by: 'input' as const, from: 200_000, upTo: null, count: 250_000 },
    'Tier over 200,000 tokens of input; this call has 250,000',
  ],
  [
    { by: 'month' as const, from: 1_000, upTo: 2_000, count: 1_500 },
    'Tier over 1,000 up to 2,000 tokens a month; 1,500 had been used when the call began',
  ],
])('the bill says which tier was charged, and why: %j', (tier, text) => {
  expect(tierText(tier, t)).toBe(text);
});

it.each([
  ['21.9999999999996', '22', '$0.000044'],
  ['43.2', '43.2', '$0.0000864'],
  ['187.5', '187.5', '$0.000375'],
  ['1234567.1234565', '1,234,567.123457', '$2.4691342469'],
  ['0', '0', '$0'],
  ['499999.9999999', '500,000', '$1'],
])('the bill shows %s without the tail of a ratio', (weighted, units, dollars) => {
  expect([weightedText(weighted), dollarsOf(weighted)]).toEqual([units, dollars]);
});
