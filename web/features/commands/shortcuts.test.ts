import { describe, expect, it } from 'bun:test';
import { meaning, NOTHING, SHORTCUTS, shortcutsFor } from './shortcuts.ts';

/** What a row of keys means, pressed a tenth of a second apart unless said. */
function typed(keys: string, apartMs = 100): (string | undefined)[] {
  let begun = NOTHING;
  return [...keys].map((key, at) => {
    const next = meaning(SHORTCUTS, begun, { key, at: 10_000 + at * apartMs });
    begun = next.begun;
    return next.shortcut?.keys.join(' ');
  });
}

describe('the keys', () => {
  it('are declared once each, and none is the beginning of another', () => {
    const texts = SHORTCUTS.map(({ keys }) => keys.join(' '));
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) {
      expect(texts.filter((other) => other.startsWith(`${text} `))).toEqual([]);
    }
  });

  it('mean what they are declared for, one or several after another', () => {
    expect(typed('?')).toEqual(['?']);
    expect(typed('gt')).toEqual([undefined, 'g t']);
    expect(typed('gtc')).toEqual([undefined, 'g t', 'c']);
  });

  it('begin anew after one that leads nowhere, and after a while', () => {
    expect(typed('gqt')).toEqual([undefined, undefined, undefined]);
    expect(typed('gj')).toEqual([undefined, 'j']);
    expect(typed('ggl')).toEqual([undefined, undefined, 'g l']);
    expect(typed('gc', 2_000)).toEqual([undefined, 'c']);
  });

  it('lead to pages of the menu alone', () => {
    const own = shortcutsFor(new Set(['/token', '/log'])).map(({ keys }) => keys.join(' '));
    expect(own.filter((keys) => keys.startsWith('g '))).toEqual(['g t', 'g l']);
    expect(own).toContain('/');
  });
});
