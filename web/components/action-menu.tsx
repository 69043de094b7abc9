/** The ⋯ of a row: what can be done with it. The menu itself is loaded when one is opened for the first time. */
import { Ellipsis } from 'lucide-react';
import { onUse } from '@/lib/on-use.tsx';
import type { MenuAction } from './menu-action.ts';
import { MenuTrigger } from './menu-trigger.tsx';
import { Button } from './ui/button.tsx';

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
