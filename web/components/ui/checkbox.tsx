import { type ComponentProps, useEffect, useRef } from 'react';
import { cn } from '@/lib/cn.ts';

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  /** Some of what it stands for, not all. */
  mixed?: boolean;
}

const mark =
  "after:mt-[-2px] after:h-1 after:w-2 after:-rotate-45 after:border-0 after:border-b-2 after:border-l-2 after:border-solid after:border-on-accent after:opacity-0 after:content-[''] checked:after:opacity-100 indeterminate:after:mt-[-3px] indeterminate:after:rotate-0 indeterminate:after:border-l-0 indeterminate:after:opacity-100";

export function Checkbox({ mixed = false, className, ...props }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <input
      ref={box}
      type="checkbox"
      className={cn(
        'hit inline-grid size-4 shrink-0 cursor-pointer appearance-none place-items-center rounded-xs border border-line-strong bg-surface checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken',
        mark,
        className,
      )}
      {...props}
    />
  );
}

/** One of several. */
export function Radio({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <input
      type="radio"
      className={cn(
        "hit inline-grid size-4 shrink-0 cursor-pointer appearance-none place-items-center rounded-full border border-line-strong bg-surface after:size-2 after:rounded-full after:bg-on-accent after:opacity-0 after:content-[''] checked:border-accent checked:bg-accent checked:after:opacity-100",
        className,
      )}
      {...props}
    />
  );
}

/** On or off, at once. */
export function Switch({ className, ...props }: Omit<ComponentProps<'input'>, 'type' | 'role'>) {
  return (
    <input
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells its own state
      role="switch"
      className={cn(
        "hit relative h-[18px] w-8 shrink-0 cursor-pointer appearance-none rounded-full border border-line-strong bg-sunken after:absolute after:top-0.5 after:left-0.5 after:size-3 after:rounded-full after:bg-line-strong after:content-[''] checked:border-accent checked:bg-accent checked:after:left-4 checked:after:bg-on-accent disabled:cursor-not-allowed disabled:opacity-60",
        className,
      )}
      {...props}
    />
  );
}
