import { Check } from 'lucide-react';
import { DropdownMenu as RadixMenu } from 'radix-ui';
import { type ComponentProps, createContext, use, useState } from 'react';
import { cn } from '@/lib/cn.ts';

const OpenMenu = createContext(() => {});

type MenuProps = Omit<ComponentProps<typeof RadixMenu.Root>, 'open' | 'onOpenChange'>;

export function DropdownMenu({ defaultOpen = false, ...props }: MenuProps) {
  const [open, setOpen] = useState(defaultOpen);
  return (
    <OpenMenu value={() => setOpen(true)}>
      {/* Hidden from who hears it and yet within reach of the focus is what no page behind may be. */}
      <RadixMenu.Root modal={false} open={open} onOpenChange={setOpen} {...props} />
    </OpenMenu>
  );
}

/** Its primitive hears pointers and keys alone; what reads the screen aloud clicks, and so does the palette. */
export function DropdownMenuTrigger(props: ComponentProps<typeof RadixMenu.Trigger>) {
  const open = use(OpenMenu);
  return (
    <RadixMenu.Trigger
      {...props}
      onClick={({ detail }) => {
        if (detail === 0) open();
      }}
    />
  );
}

const itemClass =
  'flex h-8 w-full cursor-pointer items-center gap-2 rounded-sm px-2.5 text-left text-sm text-text no-underline outline-none select-none data-[disabled]:cursor-not-allowed data-[disabled]:text-faint data-[highlighted]:bg-hover max-md:h-11 [&>.lucide]:text-muted';

export function DropdownMenuContent({ className, ...props }: ComponentProps<typeof RadixMenu.Content>) {
  return (
    <RadixMenu.Portal>
      <div>
        {/* A press beside the menu closes it, and does nothing else. */}
        <div className="pointer-events-auto fixed inset-0 z-40" />
        <RadixMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className={cn(
            'z-40 min-w-40 rounded-md border border-line bg-raised p-1 shadow-float duration-150 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0',
            className,
          )}
          {...props}
        />
      </div>
    </RadixMenu.Portal>
  );
}

interface ItemProps extends ComponentProps<typeof RadixMenu.Item> {
  danger?: boolean;
}

export function DropdownMenuItem({ className, danger, ...props }: ItemProps) {
  return (
    <RadixMenu.Item
      className={cn(itemClass, danger && 'text-bad [&>.lucide]:text-bad', className)}
      {...props}
    />
  );
}

export const DropdownMenuSeparator = () => <RadixMenu.Separator className="my-1 border-t border-line" />;

export const DropdownMenuRadioGroup = RadixMenu.RadioGroup;

export function DropdownMenuRadioItem({
  children,
  className,
  ...props
}: ComponentProps<typeof RadixMenu.RadioItem>) {
  return (
    <RadixMenu.RadioItem className={cn(itemClass, className)} {...props}>
      <span className="grid size-4 place-items-center">
        <RadixMenu.ItemIndicator>
          <Check className="text-accent" aria-hidden="true" />
        </RadixMenu.ItemIndicator>
      </span>
      {children}
    </RadixMenu.RadioItem>
  );
}
