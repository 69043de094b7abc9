import { describe, expect, it } from 'bun:test';
import type { Blame } from '../../core/blame.ts';
import { resultOf } from '../choose/call-result.ts';
import { type Failure, failureOfStatus, failureOfTransport, stopped, unaffordable } from './outcome.ts';

const of = (status: number, error: object = { message: 'no' }): Failure =>
  failureOfStatus(status, JSON.stringify({ error }), {}, null);

describe('a status', () => {
  it.each<[status: number, blame: Blame, result: string, isRetried: boolean, mayBeKey: boolean]>([
    [307, 'channel', 'failure', true, false],
    [400, 'caller', 'success', false, false],
    [401, 'key', 'refused', true, true],
    [402, 'key', 'refused', true, true],
    [403, 'channel', 'failure', true, true],
    [404, 'channel', 'failure', true, false],
    [405, 'channel', 'failure', true, false],
    [408, 'late', 'failure', false, false],
    [409, 'caller', 'success', true, false],
    [411, 'caller', 'success', true, false],
    [413, 'caller', 'success', false, false],
    [414, 'caller', 'success', true, false],
    [415, 'caller', 'success', true, false],
    [416, 'caller', 'success', true, false],
    [422, 'caller', 'success', false, false],
    [424, 'channel', 'failure', true, false],
    [428, 'caller', 'success', true, false],
    [429, 'key', 'busy', true, true],
    [431, 'caller', 'success', true, false],
    [451, 'caller', 'success', true, false],
    [500, 'channel', 'failure', true, false],
    [501, 'channel', 'failure', true, false],
    [502, 'channel', 'failure', true, false],
    [503, 'channel', 'failure', true, false],
    [504, 'late', 'failure', false, false],
    [524, 'late', 'failure', false, false],
    [529, 'channel', 'failure', true, false],
  ])(
    '%d is the fault of the %s, of which is thought that it is %s',
    (status, blame, kind, isRetried, mayBeKey) => {
      const failure = of(status);
      expect(failure.blame).toBe(blame);
      expect(resultOf(failure).kind).toBe(kind as never);
      expect([failure.retryable, failure.mayBeKey]).toEqual([isRetried, mayBeKey]);
      expect(failure.keyDead !== null).toBe(status === 401 || status === 402);
    },
  );

  it('says less than a code that condemns the key', () => {
    const failure = of(400, { message: 'no', code: 'insufficient_quota' });
    expect(failure).toMatchObject({ blame: 'key', mayBeKey: true });
    expect(resultOf(failure).kind).toBe('refused');
  });

  it('of what is not found in a field of the request is the fault of its caller, and final', () => {
    const failure = of(404, { message: 'no such item', type: 'invalid_request_error', param: 'input' });
    expect(resultOf(failure)).toEqual({ kind: 'success' });
    expect(failure).toMatchObject({ blame: 'caller', retryable: false, mayBeKey: false });
    expect([failure.error.code, failure.error.relayStatus]).toEqual(['upstream_rejected', 404]);
    for (const error of [{ param: 'model' }, { param: 'input', code: 'model_not_found' }]) {
      expect(of(404, { message: 'no', ...error })).toMatchObject({ blame: 'channel', retryable: true });
    }
  });
});

describe('a refusal of what was said', () => {
  it.each([
    { message: 'Your chosen model requires moderation and your input was flagged for "violence".' },
    { message: 'Refused.', code: 'content_policy_violation' },
    { message: 'The response was filtered due to the prompt triggering the content management policy.' },
    { message: 'no', code: 'data_inspection_failed' },
    { message: '输入包含敏感内容' },
    { message: 'Content violates usage guidelines. Team: a, API key ID: b, Failed check: SAFETY_CHECK' },
    { message: 'The guardrail of your organization has flagged and blocked this input.' },
    { message: 'Your prompt was flagged. Your account is not affected.' },
    { message: 'Flagged by moderation. Repeated violations may result in your account being suspended.' },
    { message: 'This violates our usage policies: your account may be suspended or terminated.' },
    { message: '您的账号提交的输入包含敏感内容' },
    { message: '输入包含敏感内容，多次违规账号将被封禁' },
  ])('says nothing against the channel, and is final: %j', (error) => {
    const failure = of(403, error);
    expect(resultOf(failure)).toEqual({ kind: 'success' });
    expect(failure).toMatchObject({ blame: 'caller', mayBeKey: false, retryable: false });
    expect([failure.error.code, failure.error.relayStatus]).toEqual(['upstream_rejected', 403]);
  });

  it('says nothing of a key that is dead, whatever else it says', () => {
    const failure = of(403, { message: 'Flagged.', code: 'account_deactivated' });
    expect(failure).toMatchObject({ blame: 'key', mayBeKey: true, retryable: true });
  });

  it.each([
    { message: 'This key may not use the model.' },
    { message: 'Country, region, or territory not supported' },
    { message: 'Your account has been flagged for violating our usage policies. Please contact support.' },
    { message: 'Access terminated: your organization was suspended for violating our usage policies.' },
    { message: 'This API key has been disabled after moderation review' },
    { message: 'We have temporarily suspended your account under our content policy.' },
    { message: 'Your access to the API was revoked: usage policies.' },
    { message: 'Usage policy violation', code: 'account_suspended' },
    { message: '您的账号因发布违规内容已被封禁' },
    {
      message:
        'Your resource has been temporarily blocked because we detected behavior that may violate our content policy.',
    },
    { message: 'Your account was flagged for potential abuse' },
    { message: 'Responsible AI Terms not accepted for this project' },
    { message: 'User: a is not authorized to perform: bedrock:ApplyGuardrail on resource: guardrail/b' },
  ])('is no other: %j', (error) => {
    const failure = of(403, error);
    expect(resultOf(failure).kind).toBe('failure');
    expect(failure).toMatchObject({ blame: 'channel', retryable: true, isOfContent: false });
    expect(failure.error.code).toBe('upstream_auth');
  });
});

describe('a failure without a status', () => {
  it.each<[what: string, blame: Blame, result: string, failed: () => Failure]>([
    ['no answer in time', 'late', 'failure', () => failureOfTransport('timeout')],
    ['no connection in time', 'channel', 'failure', () => failureOfTransport('connect-timeout')],
    ['a reset', 'channel', 'failure', () => failureOfTransport('reset')],
    ['an answer that nobody can read', 'channel', 'failure', () => failureOfTransport('malformed')],
    ['a wire without a word for it', 'nobody', 'ignored', () => failureOfTransport('unserved')],
    ['a balance that does not carry its tools', 'nobody', 'ignored', unaffordable],
    ['a stop of ours', 'nobody', 'ignored', stopped],
  ])('that is %s is the fault of: %s', (_, blame, kind, failed) => {
    const failure = failed();
    expect(failure.blame).toBe(blame);
    expect(resultOf(failure).kind).toBe(kind as never);
  });
});
