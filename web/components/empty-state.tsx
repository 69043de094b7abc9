import type { ReactNode } from 'react';

interface EmptyStateProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** In the place of rows: what belongs here, or why nothing matches, and the next step. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="px-4 py-8">
      <h2 className="text-base font-semibold">{title}</h2>
      {children && <p className="mt-1 max-w-[52ch] text-muted">{children}</p>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}
