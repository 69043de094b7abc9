import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { type ComponentProps, type CSSProperties, type ReactNode, useEffect, useRef } from 'react';
import { cn } from '@/lib/cn.ts';
import { useGoingOn } from '@/lib/frame-age.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { buttonVariants } from './button.tsx';
import { BODY_LOOK, DRAWER_LOOK, HeadLook, SCRIM_LOOK, SIDE_LOOKS, TITLE_LOOK } from './drawer-look.tsx';

export const Dialog = RadixDialog.Root;
export const DialogClose = RadixDialog.Close;

const Scrim = ({ style }: { style?: CSSProperties | undefined }) => (
  <RadixDialog.Overlay className={SCRIM_LOOK} style={style} />
);

export function DialogTitle({ className, ...props }: ComponentProps<typeof RadixDialog.Title>) {
  return <RadixDialog.Title className={cn(TITLE_LOOK, className)} {...props} />;
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

/**
 * Tells the styles how high the window is above the phone's keyboard, and how much of it the keyboard covers. Browsers that
 * make the page smaller for it cover nothing; in the others (Safari) only what is seen gets smaller.
 */
function useRoomAboveKeyboard() {
  useEffect(() => {
    const seen = window.visualViewport;
    if (!seen) return;
    const { style } = document.documentElement;
    const measure = () => {
      // What fingers have enlarged is smaller too, and is no keyboard.
      const isEnlarged = seen.scale > 1;
      const covered = isEnlarged ? 0 : Math.max(0, window.innerHeight - seen.height - seen.offsetTop);
      style.setProperty('--keyboard', `${covered}px`);
      style.setProperty('--room', isEnlarged ? '100dvh' : `${seen.height}px`);
    };
    measure();
    const events = ['resize', 'scroll'] as const;
    for (const event of events) seen.addEventListener(event, measure);
    return () => {
      for (const event of events) seen.removeEventListener(event, measure);
    };
  }, []);
}

/** For `onOpenAutoFocus`: what is filled in comes before what only leads elsewhere. */
export function focusFirstField(event: Event) {
  const { target } = event;
  const field =
    target instanceof HTMLElement &&
    target.querySelector<HTMLElement>(
      'form :is(input, select, textarea):not([type="hidden"], :disabled, [readonly])',
    );
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** What every dialog of a phone is: a sheet from below, in reach of the thumb, over the keyboard. */
const sheet =
  'max-md:top-auto max-md:bottom-(--keyboard) max-md:left-0 max-md:max-h-[calc(var(--room)-24px)] max-md:w-full max-md:max-w-full max-md:translate-x-0 max-md:scroll-pb-20 max-md:rounded-b-none max-md:border-0 max-md:border-t max-md:px-4 max-md:pt-4 max-md:pb-6 max-md:has-data-foot:pb-0 max-md:data-[state=open]:slide-in-from-bottom-8';

/** A question or a short text: in the middle of the screen, on the phone a sheet. */
export function DialogContent({ className, ...props }: ContentProps) {
  const focus = useReturnOfFocus(props);
  useRoomAboveKeyboard();
  return (
    <RadixDialog.Portal>
      <Scrim />
      <RadixDialog.Content
        className={cn(
          'fixed top-[20vh] left-1/2 z-40 max-h-[75vh] w-[440px] max-w-[calc(100vw-32px)] -translate-x-1/2 overflow-y-auto rounded-md border border-line bg-raised px-6 py-5 shadow-float outline-none duration-150 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0',
          sheet,
          className,
        )}
        {...props}
        {...focus}
      />
    </RadixDialog.Portal>
  );
}

/** What a dialog ends with; on the phone it stays in sight however long the rest is. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div
      data-foot
      className="mt-5 flex flex-wrap justify-end gap-2 max-md:sticky max-md:bottom-0 max-md:z-[1] max-md:-mx-4 max-md:mt-4 max-md:border-t max-md:border-line max-md:bg-raised max-md:px-4 max-md:pt-2.5 max-md:pb-3.5 max-md:*:flex-auto"
    >
      {children}
    </div>
  );
}

interface DrawerContentProps extends ComponentProps<typeof RadixDialog.Content> {
  side?: keyof typeof SIDE_LOOKS;
}

/** An open list below its field: Escape closes that first, and leaves the drawer around it alone. */
const isOpenList = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('[role="combobox"][aria-expanded="true"]');

/** From a side, over the whole height: a form, a record, the menu of a phone. */
export function DrawerContent({ side = 'right', className, ...props }: DrawerContentProps) {
  const focus = useReturnOfFocus(props);
  const movement = useGoingOn();
  useRoomAboveKeyboard();
  return (
    <RadixDialog.Portal>
      <Scrim style={movement} />
      <RadixDialog.Content
        className={cn(DRAWER_LOOK, SIDE_LOOKS[side], className)}
        style={movement}
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
    <HeadLook
      title={<DialogTitle className="truncate">{title}</DialogTitle>}
      sub={sub}
      close={
        <DialogClose
          className={buttonVariants({ variant: 'ghost', size: 'icon' })}
          aria-label={t('app.close')}
        >
          <X aria-hidden="true" />
        </DialogClose>
      }
    />
  );
}

/** Scrolls on its own; can be reached by keyboard, so that it can be scrolled by keyboard. */
export function DrawerBody({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={cn(BODY_LOOK, className)}
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
