/** The new error is thrown by its code, and said in the language of whoever reads it. */
import { expect, it } from 'bun:test';
import { fail } from '../../src/core/errors.ts';
import { asIs } from '../../src/core/text.ts';

/** What its owner called it. */
const NAME: string = 'ci';

it('has its words, its statuses and its hole', () => {
  const error = fail('TOKEN_ASLEEP', { params: { name: asIs(NAME) } });
  expect([error.text('zh'), error.text('en')]).toEqual(['令牌 ci 正在休眠', 'The token ci is asleep']);
  expect([error.apiStatus, error.relayStatus]).toEqual([200, 403]);
});
