import type { LucideIcon } from 'lucide-react';
import type { Named } from './rank.ts';

/** What the palette lists. */
export interface Command extends Named {
  id: string;
  icon: LucideIcon;
  /** At the right of its name: an address, a number, a key. */
  hint?: string;
  /** Once the palette is closed. */
  run(): void;
}

/** Commands under a heading of theirs. */
export interface CommandGroup {
  id: string;
  title: string;
  commands: readonly Command[];
}
