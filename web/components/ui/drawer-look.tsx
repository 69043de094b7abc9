/** How drawers look, whatever opens them: those of the dialogs' library, and the frame that stands for one until it is there. */
import type { ReactNode } from 'react';

export const SCRIM_LOOK =
  'fixed inset-0 z-30 bg-scrim duration-200 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0';

export const DRAWER_LOOK =
  'fixed top-0 bottom-(--keyboard) z-30 flex max-w-full flex-col border-line bg-surface shadow-float outline-none duration-200 ease-calm data-[state=open]:animate-in data-[state=open]:fade-in-0';

export const SIDE_LOOKS = {
  right:
    'right-0 w-[600px] border-l max-[600px]:w-full max-[600px]:border-0 data-[state=open]:slide-in-from-right-8',
  left: 'left-0 w-[320px] max-w-[88%] border-r data-[state=open]:slide-in-from-left-8',
};

export const TITLE_LOOK = 'text-lg font-semibold';

export const BODY_LOOK = 'flex-1 overflow-y-auto px-6 pt-5 pb-6 max-md:p-4';

interface HeadLookProps {
  title: ReactNode;
  /** One line under the title; on the phone as many as it takes. */
  sub?: ReactNode;
  close: ReactNode;
}

export function HeadLook({ title, sub, close }: HeadLookProps) {
  return (
    <div className="flex min-h-14 items-center gap-3 border-b border-line py-2.5 pr-4 pl-6 max-md:py-1.5 max-md:pr-1 max-md:pl-4">
      <div className="min-w-0 flex-1">
        {title}
        {sub && <p className="text-xs text-muted max-md:wrap-anywhere md:truncate">{sub}</p>}
      </div>
      {close}
    </div>
  );
}
