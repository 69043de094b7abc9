import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from './ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogDescription, DialogTitle } from './ui/dialog.tsx';

interface MessageDialogProps {
  text: string;
  onClose: () => void;
}

/** The server's words as text, also where it calls them HTML: nobody's name may become part of a page. */
export function MessageDialog({ text, onClose }: MessageDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent role="alertdialog">
        <DialogTitle className="mb-1.5">{t('app.notice')}</DialogTitle>
        <DialogDescription className="break-words whitespace-pre-line text-text">{text}</DialogDescription>
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            {t('app.understood')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
