import { describe, expect, it } from 'bun:test';
import type { Blame } from '../../core/blame.ts';
import { verdictOf } from '../choose/verdict.ts';
import { type Failure, failureOfStatus, failureOfTransport, stopped, unaffordable } from './outcome.ts';

const of = (status: number, error: object = { message: 'no' }): Failure =>
  failureOfStatus(status, JSON.stringify({ error }), {}, null);

describe('a status', () => {
  it.each<[status: number, blame: Blame, verdict: string, isRetried: boolean, mayBeKey: boolean]>([
    [307, 'channel', 'failed', true, false],
    [400, 'caller', 'well', false, false],
    [401, 'key', 'refused', true, true],
    [402, 'key', 'refused', true, true],
    [403, 'channel', 'failed', true, true],
    [404, 'channel', 'failed', true, false],
    [405, 'channel', 'failed', true, false],
    [408, 'late', 'failed', false, false],
    [409, 'caller', 'well', true, false],
    [411, 'caller', 'well', true, false],
    [413, 'caller', 'well', false, false],
    [414, 'caller', 'well', true, false],
    [415, 'caller', 'well', true, false],
    [416, 'caller', 'well', true, false],
    [422, 'caller', 'well', false, false],
    [424, 'channel', 'failed', true, false],
    [428, 'caller', 'well', true, false],
    [429, 'key', 'busy', true, true],
    [431, 'caller', 'well', true, false],
    [451, 'caller', 'well', true, false],
    [500, 'channel', 'failed', true, false],
    [501, 'channel', 'failed', true, false],
    [502, 'channel', 'failed', true, false],
    [503, 'channel', 'failed', true, false],
    [504, 'late', 'failed', false, false],
    [524, 'late', 'failed', false, false],
    [529, 'channel', 'failed', true, false],
  ])(
    '%d is the fault of the %s, of which is thought that it is %s',
    (status, blame, kind, isRetried, mayBeKey) => {
      const failure = of(status);
      expect(failure.blame).toBe(blame);
      expect(verdictOf(failure, 'chat').kind).toBe(kind as never);
      expect([failure.retryable, failure.mayBeKey]).toEqual([isRetried, mayBeKey]);
    },
  );

  it('says less than a code that condemns the key', () => {
    const failure = of(400, { message: 'no', code: 'insufficient_quota' });
    expect(failure).toMatchObject({ blame: 'key', mayBeKey: true });
    expect(verdictOf(failure, 'chat').kind).toBe('refused');
  });

  it.each([404, 405, 501])('%d says nothing of who was only asked for a count', (status) => {
    expect(verdictOf(of(status), 'count-tokens').kind).toBe('nothing');
  });
});

describe('a refusal of what was said', () => {
  it.each([
    { message: 'Your chosen model requires moderation and your input was flagged for "violence".' },
    { message: 'Refused.', code: 'content_policy_violation' },
    { message: 'The response was filtered due to the prompt triggering the content management policy.' },
    { message: 'no', code: 'data_inspection_failed' },
    { message: '输入包含敏感内容' },
  ])('says nothing against the channel: %j', (error) => {
    const failure = of(403, error);
    expect(verdictOf(failure, 'chat')).toEqual({ kind: 'well' });
    expect(failure).toMatchObject({ blame: 'caller', mayBeKey: false, retryable: true });
  });

  it.each([
    { message: 'This key may not use the model.' },
    { message: 'Country, region, or territory not supported' },
  ])('is no other: %j', (error) => {
    expect(verdictOf(of(403, error), 'chat').kind).toBe('failed');
  });
});

describe('a failure without a status', () => {
  it.each<[what: string, blame: Blame, verdict: string, failed: () => Failure]>([
    ['no answer in time', 'late', 'failed', () => failureOfTransport('timeout')],
    ['no connection in time', 'channel', 'failed', () => failureOfTransport('connect-timeout')],
    ['a reset', 'channel', 'failed', () => failureOfTransport('reset')],
    ['an answer that nobody can read', 'channel', 'failed', () => failureOfTransport('malformed')],
    ['a wire without a word for it', 'nobody', 'nothing', () => failureOfTransport('unserved')],
    ['a balance that does not carry its tools', 'nobody', 'nothing', unaffordable],
    ['a stop of ours', 'nobody', 'nothing', stopped],
  ])('that is %s is the fault of: %s', (_, blame, kind, failed) => {
    const failure = failed();
    expect(failure.blame).toBe(blame);
    expect(verdictOf(failure, 'chat').kind).toBe(kind as never);
  });
});
