import { expect, it } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { backOffMs, RetryBudget } from './retry-budget.ts';

it('retries are at most a fifth of the calls beyond what a site starts with', () => {
  const budget = new RetryBudget();
  let retries = 0;
  for (let call = 0; call < 10_000; call++) {
    budget.earn();
    while (budget.spend()) retries++;
  }
  expect(retries).toBeGreaterThan(1_990);
  expect(retries).toBeLessThanOrEqual(10_000 * 0.2 + limits.retryStart);
});

it('the reserve does not grow while nothing fails', () => {
  const budget = new RetryBudget();
  for (let call = 0; call < 10_000; call++) budget.earn();
  let retries = 0;
  while (budget.spend()) retries++;
  expect(retries).toBe(limits.retryReserve);
});

it('the wait before a retry doubles from 50 ms to a second, and chance takes any part of it', () => {
  const most = [1, 2, 3, 4, 5, 6, 10].map((retry) => backOffMs(retry, () => 1));
  expect(most).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
  expect(backOffMs(3, () => 0)).toBe(0);
});
