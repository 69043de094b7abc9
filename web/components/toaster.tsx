import { CircleCheck, CircleX, Info } from 'lucide-react';
import { useEffect } from 'react';
import { Toaster as Sonner, toast } from 'sonner';
import { drainNotices, type Notice } from '@/lib/notify.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const DONE_MS = 4_000;
/** Who has been at the messages has so much time after them. */
const LEFT_MS = 1_500;

/** Somebody has the pointer or the focus on the messages. */
const HELD = '[data-sonner-toaster]:is(:hover, :focus-within)';

/** Takes a message away after a while, but none that somebody is at, or that nobody could see. */
function takeAway(id: string | number, afterMs: number): void {
  setTimeout(() => {
    if (document.hidden || document.querySelector(HELD)) takeAway(id, LEFT_MS);
    else toast.dismiss(id);
  }, afterMs);
}

const makers = { ok: toast.success, plain: toast.info, bad: toast.error };

function show({ tone, text, requestId, action }: Notice): void {
  const id = makers[tone](text, {
    description: requestId || undefined,
    action: action && { label: action.label, onClick: action.run },
    // The library's own time runs on under the focus.
    duration: Number.POSITIVE_INFINITY,
    closeButton: true,
  });
  // A failure stays until somebody has read it.
  if (tone !== 'bad') takeAway(id, DONE_MS);
}

const classNames = {
  toast:
    'flex w-full items-center gap-2.5 rounded-md border border-line bg-raised py-2.5 pr-9 pl-3.5 text-sm text-text shadow-float',
  description: 'font-mono text-xs text-muted break-all',
  actionButton: 'ml-auto h-7 shrink-0 rounded-sm px-2 text-sm text-muted hover:bg-hover hover:text-text',
  closeButton:
    'absolute top-1/2 right-2 grid size-6 -translate-y-1/2 place-items-center rounded-sm text-muted hover:bg-hover hover:text-text',
};

export function Toaster() {
  const { t } = useTranslation();
  useEffect(() => drainNotices(show), []);
  return (
    <Sonner
      position="bottom-left"
      visibleToasts={3}
      containerAriaLabel={t('app.notices')}
      // What one came to press stands at the right end of its bar, wherever that is on the screen, and the menu at the left of
      // the content: a message lies between them, above the foot of a drawer and the bar of a phone.
      offset={{ bottom: 84, left: 'calc(var(--side, 0px) + 24px)' }}
      mobileOffset={{ bottom: 'calc(var(--foot) + 12px)' }}
      icons={{
        success: <CircleCheck className="text-ok" aria-hidden="true" />,
        info: <Info className="text-muted" aria-hidden="true" />,
        error: <CircleX className="text-bad" aria-hidden="true" />,
      }}
      toastOptions={{ unstyled: true, classNames, closeButtonAriaLabel: t('app.close') }}
    />
  );
}
