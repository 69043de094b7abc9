import { useSyncExternalStore } from 'react';
import { closeModal, modalText, onModal } from '@/lib/message-modal.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from './ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogDescription, DialogTitle } from './ui/dialog.tsx';

/** The server's words as text, also where it calls them HTML: nobody's name may become part of a page. */
export function MessageModal() {
  const { t } = useTranslation();
  const text = useSyncExternalStore(onModal, modalText, () => null);
  if (text === null) return null;
  return (
    <Dialog open onOpenChange={(open) => !open && closeModal()}>
      <DialogContent role="alertdialog">
        <DialogTitle className="mb-1.5">{t('app.notice')}</DialogTitle>
        <DialogDescription className="break-words whitespace-pre-line text-text">{text}</DialogDescription>
        <DialogActions>
          <Button variant="primary" onClick={closeModal}>
            {t('app.understood')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
