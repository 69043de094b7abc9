import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { isClientVersion, reachesVersion } from './client-version.ts';

describe('versions of clients', () => {
  it.each(['1', '0.9.12', 'v2.0', '1.2.3.4', '1.2.0-beta.1', '3.0+build7'])('%s is one', (text) => {
    expect(isClientVersion(text)).toBe(true);
  });

  it.each(['', 'latest', '1.', '.5', '1.2.3.4.5', '1..2', '-1', '1.2 beta'])('%j is none', (text) => {
    expect(isClientVersion(text)).toBe(false);
  });

  it.each([
    ['1.10.0', '1.9.9', true],
    ['1.9.9', '1.10.0', false],
    ['2', '1.99', true],
    ['1.2', '1.2.0', true],
    ['1.2.0', '1.2', true],
    ['1.2', '1.2.1', false],
    ['v1.2.0-beta', '1.2.0', true],
    ['nonsense', '9.9', true],
    ['0.1', '', true],
  ])('%s reaches %s: %p', (client, wanted, reaches) => {
    expect(reachesVersion(client, wanted)).toBe(reaches);
  });

  it('are ordered: of two, one reaches the other, and both only when they are one', () => {
    const version = fc.array(fc.nat(30), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const [one, other] = [a.join('.'), b.join('.')];
        const [up, down] = [reachesVersion(one, other), reachesVersion(other, one)];
        expect(up || down).toBe(true);
        expect(up && down).toBe(one === other);
      }),
    );
  });
});
