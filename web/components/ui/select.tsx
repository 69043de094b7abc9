import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn.ts';
import { controlClass } from './input.tsx';

/** The browser's own select: quick, known on every phone, and there without JavaScript. */
export function Select({ className, children, ...props }: ComponentProps<'select'>) {
  return (
    <span className={cn('relative inline-block w-full', className)}>
      <select className={cn(controlClass, 'appearance-none pr-7 text-ellipsis')} {...props}>
        {children}
      </select>
      <ChevronDown
        className="pointer-events-none absolute top-1/2 right-2 size-3.5 -translate-y-1/2 text-muted"
        aria-hidden="true"
      />
    </span>
  );
}
