import { expect, it } from 'bun:test';
import { relayKey, secretText } from '../core/ids.ts';
import { isRelayKey } from '../core/key-text.ts';
import { isEmbedBearer, isGrantToken } from '../core/oauth.ts';
import { type CredentialKind, holderOf, ownCredential } from './own-proof.ts';
import { createSecrets } from './secrets.ts';

it.each<[CredentialKind, () => string, (text: string) => boolean]>([
  ['relay-key', relayKey, isRelayKey],
  ['app-token', () => `oat_${relayKey()}`, isGrantToken],
  ['frame', () => `oab_${secretText(256)}`, isEmbedBearer],
  ['access-token', () => secretText(256), (text) => /^[\w-]{43}$/.test(text)],
])('a %s proves whose it is and that this site made it, and no other text does', (kind, random, isOne) => {
  const [ours, theirs] = [createSecrets('b3Vycw=='), createSecrets('dGhlaXJz')];
  const holder = holderOf(ours, kind, ownCredential(ours, kind, 'user:1', random()));
  const made = new Set<string>();
  for (let n = 0; n < 200; n++) {
    const text = ownCredential(ours, kind, 'user:1', random());
    made.add(text.slice(0, 20));
    expect([isOne(text), holderOf(ours, kind, text), holderOf(theirs, kind, text)]).toEqual([
      true,
      holder,
      null,
    ]);
    const at = n % text.length;
    const other = text[at] === 'x' ? 'y' : 'x';
    expect(holderOf(ours, kind, text.slice(0, at) + other + text.slice(at + 1))).toBeNull();
    expect(holderOf(ours, kind === 'frame' ? 'app-token' : 'frame', text)).toBeNull();
    expect(holderOf(ours, kind, ownCredential(ours, kind, 'user:2', random()))).not.toBe(holder);
  }
  expect([made.size, holder?.length]).toEqual([200, 6]);
  for (const text of ['', random()]) expect(holderOf(ours, kind, text)).toBeNull();
});
