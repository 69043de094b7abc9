import { describe, expect, it } from 'bun:test';
import { BY_SECRET, byLowBits, plainNames } from '../../tests/support/alike-names.ts';
import { ALIKE_MOST, Alike, engineHash } from './alike.ts';
import { CallersMap, callersSet } from './callers-keys.ts';

const refused = expect.objectContaining({ code: 'invalid_request' });

describe('the engine’s hash', () => {
  // What WebKit's own tests say of its hash: the first 24 bits of it, of the bytes 0, 1, 2 …
  it('is that of its vectors', () => {
    const vectors = [0, 1, 2, 3, 4, 5].map((length) => String.fromCharCode(...Array(length).keys()));
    expect(vectors.map(engineHash)).toEqual([15648162, 7379797, 2070420, 1145527, 8646054, 15241182]);
  });

  it.each(Object.entries(BY_SECRET))('is one for names that its own numbers enclose: %s', (_which, names) => {
    expect(new Set(names(500).map(engineHash)).size).toBe(1);
  });
});

describe('strings in one place', () => {
  const KINDS: [string, (count: number) => string[]][] = [...Object.entries(BY_SECRET), ['ASCII', byLowBits]];
  it.each(KINDS)('are as many as chance has and no more, of others however many: %s', (_which, names) => {
    const alike = new Alike();
    const taken = names(40).map((name) => alike.takes(name));
    expect(taken.indexOf(false)).toBe(ALIKE_MOST);
    alike.cut(4);
    expect(plainNames(50_000).every((name) => alike.takes(name))).toBe(true);
  });

  it('are counted with those about it, to which the engine goes on', () => {
    const beside = plainNames(6_000).filter((name) => (engineHash(name) & 1023) < 32);
    const alone = beside.filter((name) => (engineHash(name) & 1023) === 0);
    const all = new Alike();
    const few = new Alike();
    expect(beside.every((name) => all.takes(name))).toBe(false);
    expect(alone.every((name) => few.takes(name))).toBe(true);
  });

  it('are refused as keys of a request, where one comes again and again as well', () => {
    const map = new CallersMap<number>();
    const set = (names: readonly string[]) => names.map((name, at) => map.set(name, at));
    for (let again = 0; again < 3; again++) set(BY_SECRET.latin(ALIKE_MOST));
    expect(map.get(BY_SECRET.latin(2)[1] ?? '')).toBe(1);
    expect(() => set(BY_SECRET.latin(40))).toThrow(refused);
    expect(() => callersSet(BY_SECRET.wide(40))).toThrow(refused);
    expect(callersSet(['a', 'b', 'a'])).toEqual(new Set(['a', 'b']));
  });
});
