import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { openApi, type TestApi } from '../../../tests/support/api.ts';
import { codeOf } from '../../../tests/support/code-of.ts';
import { limits } from '../../core/limits.ts';
import { type CodeBrought, type CodeDeps, issueCode, redeemCode } from './codes.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('postgres');
});
afterAll(() => api.close());

let made = 0;
/** A mailbox that nobody has written to, and who asks for it in a browser of his own. */
const somebody = () => {
  made++;
  const [subject, flowId] = [`codes${made}@example.com`, `flow${made}`];
  return { channel: 'mail' as const, subject, flowId };
};
/** Somebody else, who has to do with the same mailbox. */
const stranger = ({ subject }: CodeBrought) => ({ ...somebody(), subject });

const wrongOf = (code: string): string => (code === '000000' ? '000001' : '000000');
const redeem = (given: CodeBrought, code: string) => codeOf(redeemCode(api.deps, given, code));

describe('a code', () => {
  it('that is used while another message of it is asked for stays used', async () => {
    const given = somebody();
    const code = await issueCode(api.deps, given);
    let used = false;
    // He asks again in another browser, and the code is used between the look for it and the message.
    const slow: CodeDeps = {
      ...api.deps,
      oneTime: {
        ...api.deps.oneTime,
        async get(key) {
          const kept = await api.deps.oneTime.get(key);
          const isCode = kept?.startsWith(`${code}:`);
          if (isCode && !used) {
            used = true;
            await redeemCode(api.deps, given, code);
          }
          return kept;
        },
      },
    };
    const elsewhere = stranger(given);
    expect(await issueCode(slow, elsewhere)).toBe(code);
    expect(used).toBe(true);
    expect(await redeem(elsewhere, code)).toBe('CODE_WRONG');
    expect(await redeem(given, code)).toBe('CODE_WRONG');
    expect(await issueCode(api.deps, given)).not.toBe(code);
  });

  it('is another one for the flow that has used up its tries of it, and good still for every other', async () => {
    const given = somebody();
    const code = await issueCode(api.deps, given);
    const [neighbour, third] = [stranger(given), stranger(given)];
    for (const who of [neighbour, third]) expect(await issueCode(api.deps, who)).toBe(code);
    for (let n = 0; n < 5; n++) expect(await redeem(neighbour, wrongOf(code))).toBe('CODE_WRONG');
    expect(await redeem(neighbour, code)).toBe('CODE_WRONG');
    expect(await issueCode(api.deps, stranger(given))).toBe(code);
    const other = await issueCode(api.deps, neighbour);
    expect(await redeem(given, other)).toBe('CODE_WRONG');
    expect(await redeem(neighbour, other)).toBe('ok');
    expect(await redeem(given, code)).toBe('ok');
    // It was good once, for all whom it was told.
    expect(await redeem(third, code)).toBe('CODE_WRONG');
  });

  it('is nothing to a flow that has not asked for it, nor to who has none', async () => {
    const given = somebody();
    const code = await issueCode(api.deps, given);
    expect(await redeem(stranger(given), code)).toBe('CODE_WRONG');
    expect(await redeem({ ...stranger(given), flowId: null }, code)).toBe('CODE_WRONG');
    expect(await redeem({ ...given, subject: 'another@example.com' }, code)).toBe('CODE_WRONG');
    expect(await redeem({ ...given, channel: 'phone' }, code)).toBe('CODE_WRONG');
    expect(await redeem(given, code)).toBe('ok');
  });

  it('has five tries in its flow, also when they come at once', async () => {
    const given = somebody();
    const code = await issueCode(api.deps, given);
    const guesses = Array.from({ length: 12 }, () => ({ ...stranger(given), flowId: given.flowId }));
    await Promise.all(guesses.map((guess) => redeem(guess, wrongOf(code))));
    expect(await redeem(given, code)).toBe('CODE_WRONG');
  });

  it('has two tries in each flow once many were told of its subject, its owner’s and the others’', async () => {
    const given = somebody();
    for (let n = 0; n < limits.codesOfSubject; n++) await issueCode(api.deps, stranger(given));
    const guesser = stranger(given);
    const code = await issueCode(api.deps, guesser);
    for (let n = 0; n < 2; n++) expect(await redeem(guesser, wrongOf(code))).toBe('CODE_WRONG');
    expect(await redeem(guesser, code)).toBe('CODE_WRONG');
    expect(await issueCode(api.deps, given)).toBe(code);
    expect(await redeem(given, wrongOf(code))).toBe('CODE_WRONG');
    expect(await redeem(given, code)).toBe('ok');
  });

  it('opens to its owner, whatever strangers ask for and guess', async () => {
    const act = fc.record({
      who: fc.nat(2),
      does: fc.oneof(fc.constant('ask' as const), fc.constant('guess' as const)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), fc.nat(25), async (acts, at) => {
        const given = somebody();
        const strangers = Array.from({ length: 3 }, () => stranger(given));
        let code = '';
        for (const [n, { who, does }] of acts.entries()) {
          if (n === at) code = await issueCode(api.deps, given);
          const other = strangers[who] ?? given;
          if (does === 'ask') await issueCode(api.deps, other);
          // What he guesses is right only by chance, and then he was told it.
          else expect(await redeem(other, `x${n}`)).not.toBe('ok');
        }
        code ||= await issueCode(api.deps, given);
        expect(await redeem(given, code)).toBe('ok');
        expect(await redeem(given, code)).not.toBe('ok');
      }),
      { numRuns: 60 },
    );
  });
});
