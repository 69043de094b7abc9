import { Ellipsis } from 'lucide-react';
import { Fragment } from 'react';
import type { MenuAction } from './action-menu.tsx';
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
    </DropdownMenu>
  );
}
