import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn.ts';

/** Heights are those of a filter; inside a form (`group/form`) controls are a little taller. */
export const controlClass =
  'h-8 w-full min-w-0 rounded-sm border border-line-strong bg-surface px-2.5 text-sm text-text disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-muted read-only:bg-surface aria-invalid:border-bad group-data-[form]/form:h-9 group-data-[form]/form:text-base max-md:h-11 max-md:text-[16px] group-data-[form]/form:max-md:h-11 group-data-[form]/form:max-md:text-[16px]';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(controlClass, className)} {...props} />;
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      className={cn(
        controlClass,
        'h-auto resize-y py-[7px] group-data-[form]/form:h-auto max-md:h-auto group-data-[form]/form:max-md:h-auto',
        className,
      )}
      {...props}
    />
  );
}
