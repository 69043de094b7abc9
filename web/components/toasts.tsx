import { useEffect, useState, useSyncExternalStore } from 'react';
import { late } from '@/lib/late.tsx';
import { drainNotices, hasNotices, type Notice, onFirstNotice } from '@/lib/notify.ts';

const Toaster = late(() => import('./toaster.tsx').then((module) => module.Toaster), PlainMessage);

/** The place of short messages; nothing of it is loaded before there is one. */
export function Toasts() {
  const wanted = useSyncExternalStore(onFirstNotice, hasNotices, () => false);
  return wanted && <Toaster />;
}

/** The last message, where what draws them cannot be fetched: that the connection is away must be said without it. */
function PlainMessage() {
  const [message, setMessage] = useState<Notice | null>(null);
  useEffect(() => drainNotices(setMessage), []);
  return (
    <p
      role="alert"
      className="fixed bottom-21 left-[calc(var(--side,0px)+24px)] z-50 max-w-[356px] rounded-md border border-line bg-raised px-3.5 py-2.5 text-sm shadow-float empty:hidden max-md:inset-x-4 max-md:max-w-none"
    >
      {message?.text}
    </p>
  );
}
