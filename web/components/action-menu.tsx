/** The ⋯ of a row: what can be done with it. The menu itself is loaded when one is opened for the first time. */
import { Ellipsis, type LucideIcon } from 'lucide-react';
import { onUse } from '@/lib/on-use.tsx';
import { MenuTrigger } from './menu-trigger.tsx';
import { Button } from './ui/button.tsx';

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

interface ActionMenuProps {
  /** Names the button, with the row: `More actions: ci`. */
  label: string;
  actions: readonly MenuAction[];
}

export const ActionMenu = onUse<ActionMenuProps>(
  () => import('./action-menu-content.tsx').then((module) => module.ActionMenuContent),
  function ActionMenuButton({ label, onUse }) {
    return (
      <Button
        variant="ghost"
        size="icon"
        aria-haspopup="menu"
        aria-expanded={false}
        aria-label={label}
        onClick={onUse}
      >
        <Ellipsis aria-hidden="true" />
      </Button>
    );
  },
);

interface MenuButtonProps extends ActionMenuProps {
  /** The words on the button. */
  text: string;
}

/** A labelled button that opens a menu, at the head of a page. */
export const MenuButton = onUse<MenuButtonProps>(
  () => import('./action-menu-content.tsx').then((module) => module.MenuButtonContent),
  ({ text, label, onUse }) => (
    <MenuTrigger text={text} aria-label={label} aria-expanded={false} onClick={onUse} />
  ),
);
