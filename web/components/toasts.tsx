import { lazy, Suspense, useSyncExternalStore } from 'react';
import { hasNotices, onFirstNotice } from '@/lib/notify.ts';

const Toaster = lazy(() => import('./toaster.tsx').then((module) => ({ default: module.Toaster })));

/** The place of short messages; nothing of it is loaded before there is one. */
export function Toasts() {
  const wanted = useSyncExternalStore(onFirstNotice, hasNotices, () => false);
  if (!wanted) return null;
  return (
    <Suspense>
      <Toaster />
    </Suspense>
  );
}
