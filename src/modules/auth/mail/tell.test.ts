import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { openApi, type TestApi } from '../../../../tests/support/api.ts';
import { limits } from '../../../core/limits.ts';
import { createLogger } from '../../../platform/logger.ts';
import { memoryLimiter } from '../../../platform/memory-limiter.ts';
import { passkeyLetter } from './letters.ts';
import { type TellDeps, type Told, tellMailbox } from './tell.ts';

let api: TestApi;
let deps: TellDeps;
const sent: string[] = [];
const lines: string[] = [];
beforeAll(async () => {
  api = await openApi('pglite');
});
afterAll(() => api.close());
beforeEach(() => {
  [sent.length, lines.length] = [0, 0];
  deps = {
    limiter: memoryLimiter(),
    log: createLogger('warn', (line) => void lines.push(line)),
    mailer: { ...api.deps.mailer, isSet: () => true, post: ({ to }) => void sent.push(to) },
    options: api.deps.options,
  };
});

/** How many of so many events a mailbox is told. */
async function told(
  id: number,
  kind: Told,
  times = 1,
  { email = `u${id}@example.com`, quota = 0, reserved = 0, role = 1 } = {},
): Promise<number> {
  const before = sent.length;
  const account = { id, email, language: '', username: `u${id}`, quota, reserved, role };
  for (let n = 0; n < times; n++) await tellMailbox(deps, account, 'en', kind, passkeyLetter);
  return sent.length - before;
}

describe('the mailbox of an account', () => {
  it('is told of so many of one kind in a day, which hide none of another, nor any from another mailbox', async () => {
    const { lettersOfKind } = limits;
    expect(await told(1, 'party', lettersOfKind + 2, { email: 'Thief@example.com' })).toBe(lettersOfKind);
    expect(await told(1, 'party', 1, { email: 'thief@example.com' })).toBe(0);
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      Array(3).fill(expect.objectContaining({ event: 'letter.withheld', user_id: 1, letter: 'party' })),
    );
    expect(lines.join()).not.toContain('@');
    for (const kind of ['mailbox', 'passkey', 'token'] as const)
      expect(await told(1, kind, 1, { email: 'thief@example.com' })).toBe(1);
    expect(await told(1, 'party')).toBe(1);
  });

  it('is told of the first of a kind though others have used up what the site tells again and again', async () => {
    const { lettersOfKind, lettersOfSite } = limits;
    const many = lettersOfSite / 2 / lettersOfKind;
    for (let id = 1; id <= many; id++) expect(await told(id, 'passkey', lettersOfKind)).toBe(lettersOfKind);
    expect(await told(1_000, 'passkey', 2)).toBe(1);
    expect(await told(1_001, 'token', 2)).toBe(2);
    for (let id = 2_000; sent.length < lettersOfSite + 2; id++) expect(await told(id, 'passkey')).toBe(1);
    expect(await told(3_000, 'passkey')).toBe(0);
    // Who has much to lose is not one of the many that had little.
    expect(await told(3_001, 'passkey', 1, { quota: 5_000_000 })).toBe(1);
    // Nor while calls hold all of it.
    expect(await told(3_003, 'passkey', 1, { quota: 5, reserved: 50_000_000 })).toBe(1);
    expect(await told(3_002, 'passkey', 1, { role: 10 })).toBe(1);
  });
});
