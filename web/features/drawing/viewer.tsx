/** A picture of the page at its size, and the way to the others. */
import { ChevronLeft, ChevronRight, Download, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent, DialogTitle } from '@/components/ui/dialog.tsx';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { altOf, type Drawing, pictureOf } from './drawing.ts';

interface ViewerProps {
  /** Those of the page that have a picture. */
  drawings: readonly Drawing[];
  shown: Drawing;
  onShow: (drawing: Drawing) => void;
  onClose: () => void;
}

export function Viewer({ drawings, shown, onShow, onClose }: ViewerProps) {
  const { t } = useTranslation();
  const [isWhole, setWhole] = useState(false);
  const at = drawings.findIndex(({ id }) => id === shown.id);
  const show = (next: Drawing | undefined) => {
    if (!next) return;
    setWhole(false);
    onShow(next);
  };
  const [previous, next] = [drawings[at - 1], drawings[at + 1]];
  // Of the document: a button that has just become useless has lost the focus.
  useEffect(() => {
    const turn = ({ key }: KeyboardEvent) => {
      const to = key === 'ArrowLeft' ? previous : key === 'ArrowRight' ? next : undefined;
      if (to) onShow(to);
    };
    document.addEventListener('keydown', turn);
    return () => document.removeEventListener('keydown', turn);
  }, [previous, next, onShow]);
  const picture = pictureOf(shown);
  if (!picture) return null;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent aria-describedby={undefined} className="top-[4vh] max-h-[92vh] w-[960px]">
        <DialogTitle className="mb-3 line-clamp-2 text-base">{altOf(shown, t)}</DialogTitle>
        <div className="mb-3 flex flex-wrap gap-2">
          <Button disabled={!previous} onClick={() => show(previous)}>
            <ChevronLeft aria-hidden="true" />
            {t('drawing.previous')}
          </Button>
          <Button disabled={!next} onClick={() => show(next)}>
            <ChevronRight aria-hidden="true" />
            {t('drawing.next')}
          </Button>
          <Button aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? <ZoomOut aria-hidden="true" /> : <ZoomIn aria-hidden="true" />}
            {t(isWhole ? 'drawing.fit' : 'drawing.zoom')}
          </Button>
          <a href={picture} download={`${shown.mj_id}`} className={buttonVariants()}>
            <Download aria-hidden="true" />
            {t('drawing.download')}
          </a>
          <DialogClose className={cn(buttonVariants(), 'ml-auto')}>{t('app.close')}</DialogClose>
        </div>
        <img
          src={picture}
          alt={altOf(shown, t)}
          className={isWhole ? 'max-w-none' : 'mx-auto max-h-[70vh] max-w-full'}
        />
      </DialogContent>
    </Dialog>
  );
}

/** The prompt as it was written, and as the upstream has put it. */
export function PromptDialog({ drawing, onClose }: { drawing: Drawing; onClose: () => void }) {
  const { t } = useTranslation();
  const { prompt, prompt_en } = drawing;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent aria-describedby={undefined}>
        <DialogTitle>{t('drawing.prompt')}</DialogTitle>
        <p className="mt-2 text-sm break-words whitespace-pre-wrap">{prompt}</p>
        {prompt_en !== '' && prompt_en !== prompt && (
          <>
            <h3 className="mt-4 text-sm font-semibold">{t('drawing.promptEn')}</h3>
            <p className="mt-1 text-sm break-words whitespace-pre-wrap">{prompt_en}</p>
          </>
        )}
        <DialogActions>
          <DialogClose className={buttonVariants()}>{t('app.close')}</DialogClose>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
