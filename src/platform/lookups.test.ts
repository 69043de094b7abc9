import { expect, test } from 'bun:test';
import { relayKey, secretText } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { createLookups } from './lookups.ts';
import { memoryLimiter } from './memory-limiter.ts';
import { type CredentialKind, ownCredential } from './own-proof.ts';
import { createSecrets } from './secrets.ts';

const secrets = createSecrets('b3Vycw==');
/** What it takes to be let look up no more, of those that are found to be nobody's. */
const WRONG = limits.badKeysAMinute + limits.slowLookupsASecond;

/** Look-ups of one address: `look` finds what it brings, and `bring` nothing. */
function opened(remembered?: number, kind: CredentialKind = 'relay-key') {
  const lookups = createLookups({ limiter: memoryLimiter(() => 0), secrets }, 'test', remembered);
  const from = (text: string, ip = '203.0.113.1') => ({ kind, text, ip, apart: '' });
  return {
    bring: (text: string) => lookups.look(from(text), async () => null),
    look: (text: string, ip?: string) =>
      lookups.look(from(text, ip), async () => ({ credential: text })).catch(({ code }) => code),
  };
}

test('who was somebody lately is looked up whatever his address did; of too many the oldest waits with the others', async () => {
  const { bring, look } = opened(2);
  for (const credential of ['a', 'b', 'c']) await look(credential);
  // Of this address nobody new gets in any more.
  for (let n = 0; n < WRONG; n++) await bring(`guess-${n}`);
  expect(await look('b')).toEqual({ credential: 'b' });
  expect(await look('c')).toEqual({ credential: 'c' });
  expect(await look('a')).toBe('RATE_LIMIT');
  // One that is nobody's any more is a stranger from then on.
  expect(await bring('b')).toBeNull();
  expect(await look('b')).toBe('RATE_LIMIT');
});

test.each<[CredentialKind, () => string]>([
  ['relay-key', relayKey],
  ['app-token', () => `oat_${relayKey()}`],
  ['frame', () => `oab_${secretText(256)}`],
  ['access-token', () => secretText(256)],
])(
  'a new %s is looked up whatever others bring that is made up, or theirs and gone',
  async (kind, random) => {
    const { bring, look } = opened(undefined, kind);
    const ofOurs = (share: string) => ownCredential(secrets, kind, share, random());
    for (let n = 0; n < WRONG; n++) {
      await bring(random());
      await bring(ofOurs('user:2'));
    }
    const [made, before] = [ofOurs('user:1'), random()];
    expect(await look(made)).toEqual({ credential: made });
    expect(await look(before)).toBe('RATE_LIMIT');
    // What is gone counts for him whose it was, wherever he brings it.
    expect(await look(ofOurs('user:2'), '198.51.100.1')).toBe('RATE_LIMIT');
  },
);
