/** Shows what the server wants read before anything else. Its window is fetched when the first such answer comes. */
import { useSyncExternalStore } from 'react';
import { late } from '@/lib/late.tsx';
import { closeModal, modalText, onModal } from '@/lib/message-modal.ts';

const MessageDialog = late(() => import('./message-dialog.tsx').then((module) => module.MessageDialog));

export function MessageModal() {
  const text = useSyncExternalStore(onModal, modalText, () => null);
  if (text === null) return null;
  return <MessageDialog text={text} onClose={closeModal} />;
}
