import { Popover as RadixPopover } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn.ts';

export const Popover = RadixPopover.Root;
export const PopoverTrigger = RadixPopover.Trigger;

export function PopoverContent({ className, ...props }: ComponentProps<typeof RadixPopover.Content>) {
  return (
    <RadixPopover.Portal>
      <RadixPopover.Content
        align="start"
        sideOffset={4}
        collisionPadding={8}
        className={cn(
          'z-40 w-80 max-w-[calc(100vw-16px)] rounded-md border border-line bg-raised px-3.5 py-3 text-sm shadow-float outline-none duration-150 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0',
          className,
        )}
        {...props}
      />
    </RadixPopover.Portal>
  );
}
