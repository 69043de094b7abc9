import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { relayKey } from './ids.ts';
import { HINT_HEAD, HINT_TAIL, looksLikeKey, maskKey, soughtKey, soughtText } from './key-text.ts';

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

describe('what looks like a key', () => {
  it('is each whole one, however it is pasted, and no more of it is sought than is shown', () => {
    for (let i = 0; i < 100; i++) {
      const key = relayKey();
      for (const bare of [key, `sk-${key}`]) {
        for (const text of [bare, ` ${bare}\n`, `"${bare}"`, `'${bare}'`, `Bearer ${bare}`, `KEY=${bare}`]) {
          expect([text, looksLikeKey(text), soughtText(text)]).toEqual([text, true, `sk-${maskKey(key)}`]);
        }
      }
    }
  });

  it('is what begins as keys do, and other vendors’ too', () => {
    for (const text of ['sk-', 'sk-Ab', 'sk-Ab3d…9f2', 'sk-ant-api03-abc', `AIza${'Ab3_-'.repeat(7)}`]) {
      expect([text, looksLikeKey(text)]).toEqual([text, true]);
    }
    expect(['sk-', 'sk-Ab', 'sk-Ab3d…9f2'].map(soughtText)).toEqual(['sk-', 'sk-Ab', 'sk-Ab3d…9f2']);
  });

  it('is no name, no number of an order and no id of a request', () => {
    const others = [
      '',
      'disk-1',
      'ask-me',
      'DeepSeek-R1-Distill-Llama-70B',
      'azure-eastus2-gpt-4o-production-2026-05-01',
      '0f'.repeat(16),
      '019AC1F2-0000-7000-8000-00000000abcd',
    ];
    for (const text of others) expect([looksLikeKey(text), soughtText(text)]).toEqual([false, text]);
  });
});
