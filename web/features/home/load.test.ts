import { expect, test } from 'bun:test';
import { ApiError } from '@/lib/api-error.ts';
import { unlessBusy } from './load.ts';

const refusal = (code: string) => new ApiError({ code, message: 'no', status: 503, requestId: 'r' });

test('figures that are not there in time take no page away; anything else is told', async () => {
  expect(await unlessBusy(Promise.resolve(1), null)).toBe(1);
  for (const code of ['LOG_TIMEOUT', 'OVERLOADED', 'RATE_LIMIT']) {
    expect(await unlessBusy(Promise.reject(refusal(code)), null)).toBeNull();
  }
  for (const error of [refusal('AUTH_REQUIRED'), refusal('UNAVAILABLE'), new Error('a bug')]) {
    await expect(unlessBusy(Promise.reject(error), null)).rejects.toBe(error);
  }
});
