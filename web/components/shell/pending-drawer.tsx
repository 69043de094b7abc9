/** Stands for a drawer from the click on until its code and data are there: its head, and the shape of a form. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useCloseDrawer, useDrawerTitle } from '@/lib/use-drawer.ts';
import { BODY_LOOK } from '../ui/drawer-look.tsx';
import { DrawerFrame } from './drawer-frame.tsx';

/** How wide the labels are, in pixels; about as many fields as most drawers have. */
const LABELS = [96, 72, 120, 84, 104, 72];

/** `className`: of drawers that are wider than others. */
export function PendingDrawer({ className }: { className?: string }) {
  const title = useDrawerTitle();
  const close = useCloseDrawer();
  const { history } = useRouter();
  const [head] = useState(history.location.state.head);
  return (
    <DrawerFrame title={head?.title ?? title} sub={head?.sub} busy className={className} onClose={close}>
      {/* A quick server fills the drawer before anything of it is seen. */}
      <div
        aria-hidden="true"
        className={`${BODY_LOOK} grid content-start gap-5 overflow-y-hidden delay-150 duration-200 fill-mode-backwards animate-in fade-in-0`}
      >
        {LABELS.map((width, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <div key={at} className="grid gap-1.5">
            <div className="flex h-[22px] items-center">
              <div className="h-3 rounded-sm bg-skeleton" style={{ width }} />
            </div>
            <div className="h-9 rounded-sm border border-line bg-sunken max-md:h-11" />
          </div>
        ))}
      </div>
    </DrawerFrame>
  );
}
