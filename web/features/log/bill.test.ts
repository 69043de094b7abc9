import { expect, it } from 'bun:test';
import { translatorFor } from '../../lib/i18n.ts';
import { tierText } from './bill.tsx';

const t = await translatorFor('en');

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
