import { useId } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';
import { buttonVariants } from './ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent, DialogTitle } from './ui/dialog.tsx';
import { Textarea } from './ui/input.tsx';

/** The last way to copy: the text stands selected, the rest is the person's. */
export function ManualCopy({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        aria-describedby={undefined}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          const area = document.getElementById(id);
          if (area instanceof HTMLTextAreaElement) area.select();
        }}
      >
        <DialogTitle>{t('app.copyByHand')}</DialogTitle>
        <Textarea
          id={id}
          aria-label={t('app.copyByHand')}
          readOnly
          rows={4}
          defaultValue={text}
          className="mt-3 font-mono"
        />
        <DialogActions>
          <DialogClose className={buttonVariants()}>{t('app.close')}</DialogClose>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
