import { describe, expect, it } from 'bun:test';
import { type Reason, reasonText } from '../../core/reasons.ts';
import { readGoogleFault } from '../../providers/google.ts';
import { resultOf } from '../choose/call-result.ts';
import {
  cleanText,
  failureOfAnswer,
  failureOfStatus,
  failureOfTransport,
  readErrorBody,
  retryAfterSec,
} from './outcome.ts';

const said = (reason: Reason | null) => reason && reasonText(reason).en;

const plain = {};
const of = (status: number, body: unknown = { error: { message: 'no', type: 't', code: 'c' } }) =>
  failureOfStatus(status, typeof body === 'string' ? body : JSON.stringify(body), plain, null);

describe('a failed attempt', () => {
  it.each([
    [401, 502, 'upstream_auth'],
    [402, 502, 'upstream_auth'],
    [403, 502, 'upstream_auth'],
    [404, 502, 'upstream_error'],
    [408, 504, 'upstream_timeout'],
    [500, 502, 'upstream_error'],
    [503, 502, 'upstream_error'],
    [504, 504, 'upstream_timeout'],
    [524, 504, 'upstream_timeout'],
    [429, 429, 'upstream_busy'],
    [400, 400, 'upstream_rejected'],
    [413, 413, 'upstream_rejected'],
    [422, 422, 'upstream_rejected'],
  ])('of status %d is told the caller as %d %s', (status, told, code) => {
    const { error } = of(status);
    expect([error.relayStatus, error.code]).toEqual([told, code as typeof error.code]);
  });

  it.each([400, 408, 413, 422, 504, 524])('of status %d is not tried elsewhere', (status) => {
    expect(of(status).retryable).toBe(false);
  });

  it.each([401, 402, 403, 404, 429, 500, 502, 503, 307])('of status %d is tried elsewhere', (status) => {
    expect(of(status).retryable).toBe(true);
  });

  it('blames the key for a 401 and for the codes that say so, not for a server error', () => {
    expect(said(of(401).keyDead)).toContain('401');
    expect(said(of(429, { error: { message: 'pay', type: 'insufficient_quota' } }).keyDead)).toContain('pay');
    expect(of(500).keyDead).toBeNull();
    expect(of(429).keyDead).toBeNull();
  });

  it.each([
    [
      'invalid_encrypted_content',
      'Encrypted content organization_id did not match the target organization.',
      400,
    ],
    ['invalid_encrypted_content', 'Your organization has been disabled.', 401],
    [null, 'The encrypted content gAAA...wXBV could not be verified.', 400],
  ])('blames no key for what it cannot open: %s, %s', (code, message, status) => {
    const failure = of(status, { error: { message, type: 'invalid_request_error', code } });
    expect(failure).toMatchObject({ keyDead: null, denied: null, blame: 'caller', mayBeKey: false });
    expect([failure.isOfSeal, failure.error.code]).toEqual([true, 'upstream_rejected']);
    expect(resultOf(failure)).toEqual({ kind: 'success' });
  });

  it.each([
    [
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.',
    ],
    ['invalid_request_error', 'You have reached your specified workspace API usage limits.'],
    ['budget_exceeded', 'Budget has been exceeded! Current cost: 26.075, Max budget: 0.25'],
  ])(
    'is asked elsewhere where its account has spent what it may in a time, and rests: %s, %s',
    (type, message) => {
      const failure = of(400, { error: { message, type } });
      expect([failure.retryable, failure.error.code, failure.keyDead]).toEqual([true, 'upstream_busy', null]);
      expect(resultOf(failure)).toEqual(resultOf(of(429)));
      // As a caller may quote it.
      const quoted = of(400, {
        error: { message: `no such thing: ${message}`, type: 'invalid_request_error' },
      });
      expect(quoted.retryable).toBe(false);
    },
  );

  it('blames no key for a 402 that is about the size of one call', () => {
    const tooLarge = [
      'This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 30104. To increase, visit https://openrouter.ai/settings/credits',
      'Prompt tokens limit exceeded: 12000 > 9000. You can only afford 9000.',
    ];
    for (const message of tooLarge) {
      const failure = of(402, { error: { message, code: 402 } });
      expect(failure).toMatchObject({ status: 402, keyDead: null, denied: null, retryable: true });
      expect(failure.error.code).toBe('upstream_auth');
      expect(failureOfAnswer({ message, code: '402' })).toMatchObject({ status: 402, keyDead: null });
      expect(resultOf(failure)).toEqual({ kind: 'refused', isOfRequest: true });
      // A status that is sure says more than words.
      expect(of(401, { error: { message } }).keyDead).not.toBeNull();
    }
    for (const message of ['Insufficient credits. Add more to go on', 'Insufficient Balance']) {
      expect(of(402, { error: { message, code: 402 } }).keyDead).not.toBeNull();
      expect(failureOfAnswer({ message, code: '402' }).keyDead).not.toBeNull();
    }
  });

  it('never blames a key of Google’s for a file or cache that the caller named and may not use', () => {
    const google = (message: string, details: unknown[] = []) =>
      failureOfStatus(
        403,
        JSON.stringify({ error: { code: 403, status: 'PERMISSION_DENIED', message, details } }),
        { readFault: readGoogleFault },
        null,
      );
    for (const message of [
      'You do not have permission to access the File abc123 or it may not exist.',
      'CachedContent not found (or permission denied)',
    ]) {
      const failure = google(message);
      expect(failure).toMatchObject({ status: 400, keyDead: null, retryable: false });
      expect(failure.error.relayStatus).toBe(400);
    }
    // A model that may not be there says nothing of the key, and another account may have it.
    const missing = google("Permission 'predict' denied on resource 'x' (or it may not exist).");
    expect(missing).toMatchObject({ status: 403, keyDead: null, isCallers: true, retryable: true });
    // To what access was refused, the request tells.
    const message = 'The caller does not have permission';
    expect(google(message)).toMatchObject({
      keyDead: null,
      denied: { code: 'coded', values: { status: 403, name: 'PERMISSION_DENIED' }, said: message },
    });
    expect(said(google('Your API key was reported as leaked.').keyDead)).toContain('403 PERMISSION_DENIED');
  });

  it('blames a key of Google’s for reasons that are its account’s with the service that was called', () => {
    const google = (reason: string, service?: string) =>
      failureOfStatus(
        403,
        JSON.stringify({
          error: {
            code: 403,
            status: 'PERMISSION_DENIED',
            message: 'no',
            details: [{ reason, domain: 'googleapis.com', metadata: { ...(service && { service }) } }],
          },
        }),
        { readFault: readGoogleFault },
        null,
      );
    for (const reason of ['CONSUMER_SUSPENDED', 'SERVICE_DISABLED', 'BILLING_DISABLED', 'API_KEY_INVALID']) {
      expect(said(google(reason).keyDead)).toContain('403');
      expect(said(google(reason, 'aiplatform.googleapis.com').keyDead)).toContain('403');
      // The bucket of somebody whose project is suspended.
      expect(google(reason, 'storage.googleapis.com')).toMatchObject({
        keyDead: null,
        denied: expect.any(Object),
      });
    }
    expect(google('IAM_PERMISSION_DENIED')).toMatchObject({ keyDead: null, denied: expect.any(Object) });
  });

  it.each([
    'Your input was flagged by moderation.',
    'Your request was rejected as a result of our safety system.',
    'This violates our usage policies.',
    'Blocked by the guardrail of this deployment.',
  ])('denies nothing where what was said is refused: %s', (message) => {
    const error = { message, type: 'permission_error', code: 'forbidden' };
    expect(of(403, { error })).toMatchObject({
      denied: null,
      keyDead: null,
      blame: 'caller',
      mayBeKey: false,
    });
    expect(of(403, { error: { ...error, message: 'You may not do this.' } })).toMatchObject({
      denied: expect.any(Object),
      blame: 'channel',
    });
  });

  it.each([
    'prompt is too long: 215000 tokens > 200000 maximum',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Input is too long for requested model.',
    'The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum',
    'Unable to submit request because the input token count is 1251952 but model only supports up to 1048576.',
    'Your request exceeded model token limit: 262144',
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.",
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 202752]',
    'Prompt contains 140120 tokens, too large for model with 131072 maximum context length',
    'input length and `max_tokens` exceed context limit: 197961 + 20000 > 204648, decrease input length or `max_tokens` and try again',
    'invalid params, context window exceeds limit (2013)',
    'Prompt exceeds max length',
    'request (131168 tokens) exceeds the available context size (131072 tokens), try increasing it',
    'too many tokens: size limit exceeded by 19296 tokens. Try using shorter or fewer inputs.',
  ])('tells by its code that a prompt is too long: %s', (message) => {
    const { error } = of(400, { error: { message, type: 'invalid_request_error' } });
    expect(error.detail.upstream).toMatchObject({
      code: 'context_length_exceeded',
      type: 'invalid_request_error',
    });
    const other = of(400, { error: { message: `unknown tool: ${message.slice(0, 6)}`, type: 'x' } });
    expect(other.error.detail.upstream?.code).toBeUndefined();
  });

  it('tells so of a prompt longer than its account may send in a minute, which another may send', () => {
    const name = 'gpt-4o in organization org-AbCdEf123456 on tokens per min (TPM)';
    const message = `Request too large for ${name}: Limit 30000, Requested 40117.`;
    const failure = of(429, { error: { message, type: 'tokens', code: 'rate_limit_exceeded' } });
    // Nothing is to rest for it.
    expect(failure).toMatchObject({ blame: 'caller', mayBeKey: false, retryable: true });
    const { error } = failure;
    expect([error.detail.status, error.detail.upstream?.code]).toEqual([400, 'context_length_exceeded']);
    expect(error.text('en')).toContain('Limit 30000');
    expect(error.text('en')).not.toContain('AbCdEf');
    // Groq's status of it.
    const large = of(413, { error: { message, type: 'tokens', code: 'rate_limit_exceeded' } });
    expect([large.retryable, large.error.detail.upstream?.code]).toEqual([true, 'context_length_exceeded']);
    const busy = of(429, { error: { message: `Rate limit reached for ${name}: Limit 30000.` } });
    expect(busy.error.code).toBe('upstream_busy');
  });

  it('hands on how the upstream classed a mistake of the caller', () => {
    const { error } = of(400, {
      error: { message: 'bad temperature', type: 'invalid_request_error', param: 'temperature', code: null },
    });
    expect(error.text('en')).toBe('bad temperature');
    expect(error.detail.upstream).toMatchObject({ type: 'invalid_request_error', param: 'temperature' });
  });

  it('survives bodies that are no JSON', () => {
    expect(said(of(502, '<html><body>Bad gateway</body></html>').reason)).toBe(
      'bad response status code 502',
    );
    expect(said(of(500, '').reason)).toBe('bad response status code 500');
  });

  it('is tried elsewhere where a proxy before the upstream refuses what it brings', () => {
    const page = '<html><head><title>413 Request Entity Too Large</title></head></html>';
    expect([of(413, page).retryable, of(400, page).retryable, of(504, page).retryable]).toEqual([
      true,
      true,
      false,
    ]);
    expect(of(413, page).blame).toBe('caller');
  });

  it('is not tried elsewhere after a time-out', () => {
    expect(failureOfTransport('timeout').error.code).toBe('upstream_timeout');
    expect(failureOfTransport('timeout').retryable).toBe(false);
    expect(failureOfTransport('reset').retryable).toBe(true);
  });
});

describe('the words of an upstream', () => {
  it.each([
    [{ error: { message: 'a' } }, 'a'],
    [{ error: 'b' }, 'b'],
    [{ message: 'c' }, 'c'],
    [{ msg: 'd' }, 'd'],
    [{ error_msg: 'e' }, 'e'],
    [{ header: { message: 'f' } }, 'f'],
    [{ detail: 'g' }, 'g'],
    [{ detail: [{ loc: [], msg: 'h' }] }, 'h'],
    [{ errors: [{ message: 'i' }] }, 'i'],
    [{ base_resp: { status_msg: 'j' } }, 'j'],
    [{ Response: { Error: { Message: 'k' } } }, 'k'],
    [[{ error: { message: 'l' } }], 'l'],
    [{ object: 'error', message: { detail: [{ loc: [], msg: 'm' }] } }, 'm'],
    [null, 'bad response status code 500'],
  ])('are found in %j', (body, message) => {
    expect(readErrorBody(500, body).message).toBe(message);
  });

  it('lose the names of the operator’s organisation, projects and people before a caller reads them', () => {
    const said = [
      'No access for org-AbCdEfGhIjKlMnOpQrSt and proj_aaaaBBBBccccDDDD1234.',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/x',
      'Publisher Model `projects/my-company/locations/us/models/x` was not found, ask boss@company.example',
    ].join(' ');
    for (const status of [400, 404, 500]) {
      const text = of(status, { error: { message: said } }).error.text('en');
      for (const name of ['AbCdEf', 'BBBBcccc', '123456789012', 'my-company', 'boss', 'company.example']) {
        expect(text).not.toContain(name);
      }
      expect(text).toContain('was not found');
    }
  });

  it('lose keys, addresses and control characters', () => {
    const said =
      'key sk-abcdefghijkl1234 at https://up.example/v1?key=zzz failed\u0007\n10.0.0.7:8080 Bearer abcdefgh12345';
    const clean = cleanText(said);
    for (const secret of [
      'sk-abcdefghijkl1234',
      'up.example',
      'zzz',
      '\u0007',
      '10.0.0.7',
      'abcdefgh12345',
    ]) {
      expect(clean).not.toContain(secret);
    }
    expect(cleanText('x'.repeat(10_000)).length).toBeLessThan(600);
  });
});

describe('Retry-After', () => {
  it.each([
    ['7', 7],
    ['0.2', 1],
    [new Date(1_700_000_030_000).toUTCString(), 30],
    ['soon', undefined],
    [new Date(1_600_000_000_000).toUTCString(), undefined],
    ['999999999', 3600],
    [null, undefined],
  ])('%p is %p seconds', (header, seconds) => {
    expect(retryAfterSec(header, 1_700_000_000_000)).toBe(seconds);
  });
});
