import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { relayKey } from '../../core/ids.ts';
import { HINT_HEAD, HINT_TAIL, maskKey, soughtKey } from './facts.ts';

describe('soughtKey', () => {
  it('is the hint of a whole key, and what is short or already a hint as it is', () => {
    const key = relayKey();
    expect(soughtKey(key)).toBe(maskKey(key));
    expect(soughtKey(maskKey(key))).toBe(maskKey(key));
    expect(['', 'A', 'Ab3d', 'Ab3d9f2'].map(soughtKey)).toEqual(['', 'A', 'Ab3d', 'Ab3d9f2']);
    expect(soughtKey('Ab3dEFGH')).toBe('Ab3dFGH');
  });

  it('never holds more of a text than a hint does, and keeps the ends that are compared', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'Ab3…-'), minLength: 8, maxLength: 60 }), (text) => {
        const sought = soughtKey(text);
        expect(sought.length).toBeLessThanOrEqual(HINT_HEAD + HINT_TAIL + 1);
        expect(sought.slice(0, HINT_HEAD)).toBe(text.slice(0, HINT_HEAD));
        expect(sought.slice(-HINT_TAIL)).toBe(text.slice(-HINT_TAIL));
      }),
    );
  });
});
