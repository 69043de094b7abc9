import { expect, it } from 'bun:test';
import { isRelayKey } from '../../core/key-text.ts';
import { createSecrets } from '../../platform/secrets.ts';
import { isOurs, newKey } from './own-proof.ts';

it('a key proves that this site made it, and no other text does', () => {
  const [ours, theirs] = [createSecrets('b3Vycw=='), createSecrets('dGhlaXJz')];
  for (let n = 0; n < 200; n++) {
    const key = newKey(ours);
    expect([isRelayKey(key), isOurs(ours, key), isOurs(theirs, key)]).toEqual([true, true, false]);
    const at = n % key.length;
    const other = key[at] === 'x' ? 'y' : 'x';
    expect(isOurs(ours, key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
  }
  expect(isOurs(ours, '')).toBe(false);
});
