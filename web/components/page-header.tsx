import type { ReactNode } from 'react';
import { cn } from '@/lib/cn.ts';

interface PageHeaderProps {
  title: string;
  /** One line: what the page is for. */
  help?: ReactNode;
  /** Further actions, left of the primary one. */
  actions?: ReactNode;
  /** On the phone the actions have a line to themselves. */
  actionsBelow?: boolean;
  /** The page's one primary action; on the phone it stands at the bottom of the screen, in reach of the thumb. */
  primary?: ReactNode;
}

export function PageHeader({ title, help, actions, actionsBelow = false, primary }: PageHeaderProps) {
  return (
    <header className="mb-4 flex items-start gap-4 max-md:mb-3 max-md:flex-wrap max-md:gap-2">
      <div className="min-w-0 flex-1">
        <h1 tabIndex={-1} className="text-xl font-semibold">
          {title}
        </h1>
        {help && <p className="mt-0.5 text-sm text-muted">{help}</p>}
      </div>
      {(actions || primary) && (
        <div
          data-page-actions
          data-print="no"
          className={cn('ml-auto flex shrink-0 gap-2', actionsBelow && 'max-md:w-full')}
        >
          {actions}
          {primary && <BottomBar>{primary}</BottomBar>}
        </div>
      )}
    </header>
  );
}

/** On the phone the bar at the bottom of the screen, which the shells leave room for; at a desk nothing but what stands in it. */
export const BottomBar = ({ children }: { children: ReactNode }) => (
  <div
    data-primary
    className="contents max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-[18] max-md:block max-md:border-t max-md:border-line max-md:bg-surface max-md:px-4 max-md:pt-2.5 max-md:pb-3.5 max-md:[&>*]:h-11 max-md:[&>*]:w-full max-md:[&>*]:text-[15px]"
  >
    {children}
  </div>
);
