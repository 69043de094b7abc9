import type { LucideIcon } from 'lucide-react';

/** One line of a menu. */
export interface MenuAction {
  label: string;
  icon: LucideIcon;
  run: () => void;
  danger?: boolean;
  /** Why it cannot be done now; it is then shown, with the reason, and does nothing. */
  obstacle?: string;
  /** A line stands before it. */
  separated?: boolean;
}
