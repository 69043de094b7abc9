/** Shows what the server wants read before anything else. Its window is fetched when the first such answer comes. */
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { closeModal, modalText, onModal } from '@/lib/message-modal.ts';

const MessageDialog = lazy(() =>
  import('./message-dialog.tsx').then((module) => ({ default: module.MessageDialog })),
);

export function MessageModal() {
  const text = useSyncExternalStore(onModal, modalText, () => null);
  if (text === null) return null;
  return (
    <Suspense>
      <MessageDialog text={text} onClose={closeModal} />
    </Suspense>
  );
}
