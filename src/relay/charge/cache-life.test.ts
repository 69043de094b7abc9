import { expect, it } from 'bun:test';
import fc from 'fast-check';
import { usageWithThoughts } from '../../../tests/support/quotes.ts';
import type { CacheLife } from '../../core/price-bound.ts';
import { completionTokens, noUsage, promptTokens, type Usage } from '../../core/usage.ts';
import { withAskedLife } from './cache-life.ts';

const told: Usage = { ...noUsage(), input: 100, cacheRead: 50, cacheWrite: 30, cacheWriteHour: 5, output: 7 };

it.each<[untoldWrites: number | undefined, writesUnasked: boolean, kept: Partial<Usage>]>([
  [30, false, { cacheWrite: 0, cacheWriteHour: 35, untoldWrites: 0 }],
  [10, true, { cacheWrite: 20, cacheWriteHour: 15, untoldWrites: 0 }],
  // No more than was written.
  [99, false, { cacheWrite: 0, cacheWriteHour: 35, untoldWrites: 0 }],
  [0, true, {}],
  // Nothing is told of writes.
  [undefined, false, {}],
  [undefined, true, { input: 0, cacheWriteHour: 105 }],
])(
  'of %j writes without a life, an hour was asked for (unasked: %j)',
  (untoldWrites, writesUnasked, kept) => {
    const usage = { ...told, untoldWrites };
    expect(withAskedLife(usage, 'hour', { writesUnasked })).toEqual({ ...usage, ...kept });
    for (const asked of ['minutes', undefined] as const) {
      expect(withAskedLife(usage, asked, { writesUnasked })).toBe(usage);
    }
  },
);

it('no token is lost or made', () => {
  const asked = fc.constantFrom<CacheLife | undefined>('minutes', 'hour', undefined);
  const untold = fc.option(fc.nat(2_000_000), { nil: undefined });
  fc.assert(
    fc.property(
      usageWithThoughts,
      untold,
      asked,
      fc.boolean(),
      (counts, untoldWrites, life, writesUnasked) => {
        const usage = { ...counts, ...(untoldWrites !== undefined && { untoldWrites }) };
        const kept = withAskedLife(usage, life, { writesUnasked });
        expect([promptTokens(kept), completionTokens(kept)]).toEqual([
          promptTokens(usage),
          completionTokens(usage),
        ]);
        expect(Math.min(...Object.values(kept))).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});
