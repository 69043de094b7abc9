/** Which presses of keys the console takes as its own, wherever the focus is. */

/** Where what is typed goes somewhere. */
const TYPED_INTO =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])';
/** What stands open over the page has keys of its own. */
const OPEN = '[role=dialog], [role=alertdialog], [role=menu]';

/** Apple's, in the browser: there ⌘ is what Ctrl is elsewhere. */
export const isApple = (): boolean => /Mac|iP(hone|ad)/.test(navigator.platform);

type Chord = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** ⌘ or Ctrl with K; the latter not of Apple's, where it deletes to the end of a line. */
export const isPaletteKey = (
  { key, ctrlKey, metaKey, altKey, shiftKey }: Chord,
  apple = isApple(),
): boolean => key.toLowerCase() === 'k' && ctrlKey !== metaKey && !(ctrlKey && apple) && !altKey && !shiftKey;

/** A character by itself that nothing on the page is waiting for. */
export function isFreeCharacter(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, isComposing, repeat, defaultPrevented, target } = event;
  if (ctrlKey || metaKey || altKey || isComposing || repeat || defaultPrevented) return false;
  if (key.length !== 1 || key === ' ') return false;
  return !(target instanceof Element && target.closest(TYPED_INTO)) && !document.querySelector(OPEN);
}
