import { menuPaths } from '@/lib/nav.ts';
import { meaning, NOTHING, type Pressed, shortcutsFor } from './shortcuts.ts';

let begun = NOTHING;

/** Does what a key means where it was pressed. */
export function press({ key, timeStamp }: KeyboardEvent, pressed: Pressed): void {
  const shortcuts = shortcutsFor(menuPaths(pressed.router));
  const next = meaning(shortcuts, begun, { key, at: timeStamp });
  begun = next.begun;
  next.shortcut?.run(pressed);
}
