/**
 * A drawer without the dialogs' library, which is still on its way when the first one is opened: it stands where a drawer
 * will stand, or could not be made. The focus stays in it, and Escape, its cross and a press beside it close it.
 */
import { useHydrated } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { cn } from '@/lib/cn.ts';
import { useFrameAge } from '@/lib/frame-age.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { DRAWER_LOOK, HeadLook, SCRIM_LOOK, SIDE_LOOKS, TITLE_LOOK } from '../ui/drawer-look.tsx';

interface DrawerFrameProps {
  title: string;
  sub?: string | undefined;
  /** What it stands for is on its way. */
  busy?: boolean;
  className?: string | undefined;
  onClose: () => void;
  children: ReactNode;
}

export function DrawerFrame({ title, sub, busy, className, onClose, children }: DrawerFrameProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const place = useRef<HTMLDivElement>(null);
  const movement = useFrameAge();
  const isHydrated = useHydrated();

  useLayoutEffect(() => {
    let frame: HTMLElement | null = null;
    let opener: Element | null = null;
    // A menu that it was chosen from gives the focus back to its button before that.
    const timer = setTimeout(() => {
      frame = place.current;
      opener = document.activeElement;
      frame?.querySelector('button')?.focus();
    });
    return () => {
      clearTimeout(timer);
      // The drawer that comes takes the focus from there, and gives it back to it.
      if (opener instanceof HTMLElement && frame?.contains(document.activeElement)) opener.focus();
    };
  }, []);

  // The second click of two on a row meets what the first one opened.
  const onClick = (event: MouseEvent) => event.detail < 2 && onClose();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Escape') onClose();
    if (event.key === 'Tab') keepWithin(event);
  };

  // A page as the server draws it has no dialogs.
  if (!isHydrated) return null;
  return createPortal(
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: Escape does the same */}
      <div className={SCRIM_LOOK} data-state="open" style={movement} onClick={onClick} />
      <div
        ref={place}
        role="dialog"
        aria-modal="true"
        // A press on what cannot have the focus leaves it in the frame.
        tabIndex={-1}
        aria-labelledby={titleId}
        aria-busy={busy}
        data-state="open"
        className={cn(DRAWER_LOOK, SIDE_LOOKS.right, className)}
        style={movement}
        onKeyDown={onKeyDown}
      >
        <HeadLook
          title={
            <h2 id={titleId} className={cn(TITLE_LOOK, 'truncate')}>
              {title}
            </h2>
          }
          sub={sub}
          close={
            <Button variant="ghost" size="icon" aria-label={t('app.close')} onClick={onClose}>
              <X aria-hidden="true" />
            </Button>
          }
        />
        {children}
      </div>
    </>,
    document.body,
  );
}

/** From the last control to the first, and back. */
function keepWithin(event: KeyboardEvent<HTMLElement>) {
  const controls = event.currentTarget.querySelectorAll<HTMLElement>('a, button');
  const [from, to] = event.shiftKey ? [0, controls.length - 1] : [controls.length - 1, 0];
  if (document.activeElement !== controls[from]) return;
  event.preventDefault();
  controls[to]?.focus();
}
