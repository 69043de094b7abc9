import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openApi, type TestApi } from '../../../tests/support/api.ts';
import { limits } from '../../core/limits.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { sha256 } from '../../platform/secrets.ts';
import { type CodeDeps, issueCode, redeemCode } from './codes.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('postgres');
}, 60_000);
afterAll(() => api.close());

let made = 0;
/** A mailbox that nobody has written to, and who asks for it from an address of his own. */
const somebody = () => {
  made++;
  return { channel: 'mail' as const, subject: `codes${made}@example.com`, ip: `198.51.100.${made}` };
};

const wrongOf = (code: string): string => (code === '000000' ? '000001' : '000000');
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('a code', () => {
  it('that is used while another message of it is asked for stays used', async () => {
    const given = somebody();
    const code = await issueCode(api.deps, given);
    // He asks again from elsewhere, and the code is used between the look for it and the message.
    const slow: CodeDeps = {
      ...api.deps,
      oneTime: {
        ...api.deps.oneTime,
        async get(key) {
          const kept = await api.deps.oneTime.get(key);
          await redeemCode(api.deps, given, code);
          return kept;
        },
      },
    };
    expect(await issueCode(slow, { ...given, ip: '203.0.113.7' })).toBe(code);
    expect(await refusal(redeemCode(api.deps, given, code))).toMatchObject({ code: 'CODE_WRONG' });
  });

  it('is another one for who has used up his tries of it, and the same for everybody else', async () => {
    const given = somebody();
    const code = await issueCode(api.deps, given);
    const neighbour = { ...given, ip: '203.0.113.8' };
    expect(await issueCode(api.deps, neighbour)).toBe(code);
    for (let n = 0; n < 5; n++) {
      const error = await refusal(redeemCode(api.deps, neighbour, wrongOf(code)));
      expect(error).toMatchObject({ code: 'CODE_WRONG' });
    }
    expect(await issueCode(api.deps, { ...given, ip: '203.0.113.9' })).toBe(code);
    // The minute between two messages is waited for by forgetting it.
    const minute = `message:mail:${sha256(given.subject)}:${turnSubject(neighbour.ip)}:${limits.codeAgainSec}`;
    await api.deps.limiter.clear(minute);
    await redeemCode(api.deps, neighbour, await issueCode(api.deps, neighbour));
  });
});
