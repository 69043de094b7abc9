import { Ellipsis } from 'lucide-react';
import { Fragment } from 'react';
import type { MenuAction } from './menu-action.ts';
import { MenuTrigger } from './menu-trigger.tsx';
import { Button } from './ui/button.tsx';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from './ui/dropdown-menu.tsx';

interface ActionMenuContentProps {
  label: string;
  actions: readonly MenuAction[];
  defaultOpen: boolean;
}

export function ActionMenuContent({ label, actions, defaultOpen }: ActionMenuContentProps) {
  return (
    <DropdownMenu defaultOpen={defaultOpen}>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon" aria-label={label}>
          <Ellipsis aria-hidden="true" />
        </Button>
      </DropdownMenuTrigger>
      <Items actions={actions} />
    </DropdownMenu>
  );
}

export function MenuButtonContent({
  text,
  label,
  actions,
  defaultOpen,
}: ActionMenuContentProps & { text: string }) {
  return (
    <DropdownMenu defaultOpen={defaultOpen}>
      <DropdownMenuTrigger asChild>
        <MenuTrigger text={text} aria-label={label} />
      </DropdownMenuTrigger>
      <Items actions={actions} />
    </DropdownMenu>
  );
}

const Items = ({ actions }: { actions: readonly MenuAction[] }) => (
  <DropdownMenuContent>
    {actions.map(({ label, icon: Icon, run, danger, obstacle, separated }) => (
      <Fragment key={label}>
        {separated && <DropdownMenuSeparator />}
        <DropdownMenuItem
          danger={danger}
          disabled={obstacle !== undefined}
          onSelect={run}
          className="h-auto min-h-8"
        >
          <Icon aria-hidden="true" />
          <span>
            {label}
            {obstacle && <span className="block text-xs text-muted">{obstacle}</span>}
          </span>
        </DropdownMenuItem>
      </Fragment>
    ))}
  </DropdownMenuContent>
);
