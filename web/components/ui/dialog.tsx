import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { buttonVariants } from './button.tsx';

export const Dialog = RadixDialog.Root;
export const DialogClose = RadixDialog.Close;

const Scrim = () => (
  <RadixDialog.Overlay className="fixed inset-0 z-30 bg-scrim duration-200 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0" />
);

export function DialogTitle({ className, ...props }: ComponentProps<typeof RadixDialog.Title>) {
  return <RadixDialog.Title className={cn('text-lg font-semibold', className)} {...props} />;
}

export function DialogDescription({ className, ...props }: ComponentProps<typeof RadixDialog.Description>) {
  return <RadixDialog.Description className={cn('text-sm text-muted', className)} {...props} />;
}

type ContentProps = ComponentProps<typeof RadixDialog.Content>;

/** Gives the focus back to where it was, also for dialogs that no trigger of theirs opened. */
function useReturnOfFocus({ onOpenAutoFocus, onCloseAutoFocus }: ContentProps) {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = document.activeElement;
      onOpenAutoFocus?.(event);
    },
    onCloseAutoFocus: (event: Event) => {
      onCloseAutoFocus?.(event);
      const target = opener.current;
      if (event.defaultPrevented || !(target instanceof HTMLElement) || !target.isConnected) return;
      event.preventDefault();
      // Where a link in it led to another page, that page has the focus already.
      if (document.activeElement === document.body) target.focus();
    },
  };
}

/** In the middle of the screen: a question or a short text. */
export function DialogContent({ className, ...props }: ContentProps) {
  const focus = useReturnOfFocus(props);
  return (
    <RadixDialog.Portal>
      <Scrim />
      <RadixDialog.Content
        className={cn(
          'fixed top-[20vh] left-1/2 z-40 max-h-[75vh] w-[440px] max-w-[calc(100vw-32px)] -translate-x-1/2 overflow-y-auto rounded-md border border-line bg-raised px-6 py-5 shadow-float outline-none duration-150 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0',
          className,
        )}
        {...props}
        {...focus}
      />
    </RadixDialog.Portal>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}

const sides = {
  right:
    'right-0 w-[600px] border-l max-[600px]:w-full max-[600px]:border-0 data-[state=open]:slide-in-from-right-8',
  left: 'left-0 w-[320px] max-w-[88%] border-r data-[state=open]:slide-in-from-left-8',
};

interface DrawerContentProps extends ComponentProps<typeof RadixDialog.Content> {
  side?: keyof typeof sides;
}

/** An open list below its field: Escape closes that first, and leaves the drawer around it alone. */
const isOpenList = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('[role="combobox"][aria-expanded="true"]');

/** From a side, over the whole height: a form, a record, the menu of a phone. */
export function DrawerContent({ side = 'right', className, ...props }: DrawerContentProps) {
  const focus = useReturnOfFocus(props);
  return (
    <RadixDialog.Portal>
      <Scrim />
      <RadixDialog.Content
        className={cn(
          'fixed inset-y-0 z-30 flex max-w-full flex-col border-line bg-surface shadow-float outline-none duration-200 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0',
          sides[side],
          className,
        )}
        // The dialog hears of the key before the field does.
        onEscapeKeyDown={(event) => isOpenList(event.target) && event.preventDefault()}
        {...props}
        {...focus}
      />
    </RadixDialog.Portal>
  );
}

interface DrawerHeadProps {
  title: ReactNode;
  /** One line under the title. */
  sub?: ReactNode;
}

export function DrawerHead({ title, sub }: DrawerHeadProps) {
  const { t } = useTranslation();
  return (
    <div className="flex min-h-14 items-center gap-3 border-b border-line py-2.5 pr-4 pl-6 max-md:py-1.5 max-md:pr-1 max-md:pl-4">
      <div className="min-w-0 flex-1">
        <DialogTitle className="truncate">{title}</DialogTitle>
        {sub && <p className="truncate text-xs text-muted">{sub}</p>}
      </div>
      <DialogClose className={buttonVariants({ variant: 'ghost', size: 'icon' })} aria-label={t('app.close')}>
        <X aria-hidden="true" />
      </DialogClose>
    </div>
  );
}

/** Scrolls on its own; can be reached by keyboard, so that it can be scrolled by keyboard. */
export function DrawerBody({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={cn('flex-1 overflow-y-auto px-6 pt-5 pb-6 max-md:p-4', className)}
      {...props}
    />
  );
}

export function DrawerFoot({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      className={cn(
        'flex items-center gap-2 border-t border-line bg-surface px-6 py-3 max-md:px-4 max-md:pt-2.5 max-md:pb-3.5',
        className,
      )}
      {...props}
    />
  );
}
