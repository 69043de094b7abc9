import { expect, test } from 'bun:test';
import { isPaletteKey } from './keys.ts';

const NONE = { key: 'k', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const CHORDS = {
  k: NONE,
  'Ctrl K': { ...NONE, ctrlKey: true },
  '⌘ K': { ...NONE, metaKey: true, key: 'K' },
  'Ctrl ⌘ K': { ...NONE, ctrlKey: true, metaKey: true },
  'Ctrl Shift K': { ...NONE, ctrlKey: true, shiftKey: true },
  'Ctrl J': { ...NONE, ctrlKey: true, key: 'j' },
};

test('the palette takes ⌘ K, and Ctrl K where that deletes no line', () => {
  const taken = (apple: boolean) =>
    Object.entries(CHORDS).flatMap(([name, chord]) => (isPaletteKey(chord, apple) ? [name] : []));
  expect(taken(false)).toEqual(['Ctrl K', '⌘ K']);
  expect(taken(true)).toEqual(['⌘ K']);
});
