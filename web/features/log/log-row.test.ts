import { expect, it } from 'bun:test';
import type { JsonObject } from '@core/json.ts';
import { type LogRow, readFacts } from './log-row.ts';

const factsOf = (other: JsonObject) => readFacts({ other: JSON.stringify(other) } as LogRow);

it('tells of what nobody was billed for, also where that was nothing', () => {
  expect(factsOf({ unbilled_tokens: 180_000 }).unbilledTokens).toBe(180_000);
  expect(factsOf({ unbilled_tokens: 0 }).unbilledTokens).toBe(0);
  expect(factsOf({}).unbilledTokens).toBeNull();
});
