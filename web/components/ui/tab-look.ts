/** How tabs look, whatever switches them. */
import { cn } from '@/lib/cn.ts';

export const tabListLook = (className?: string): string =>
  cn('flex gap-5 overflow-x-auto shadow-[inset_0_-1px_var(--line)] [scrollbar-width:none]', className);

/** Its ring lies within it: a list that can be scrolled cuts off what lies around. */
export const tabLook = (className?: string): string =>
  cn(
    'h-9 shrink-0 border-b-2 border-transparent text-sm whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:font-semibold data-[state=active]:text-text max-md:h-11',
    className,
  );
