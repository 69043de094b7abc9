import { useState } from 'react';
import { errorText, errorTone, requestIdOf } from '@/lib/error-text.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Question } from './question.ts';
import { Button } from './ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogDescription, DialogTitle } from './ui/dialog.tsx';
import { Input } from './ui/input.tsx';
import { Notice } from './ui/notice.tsx';

interface ConfirmDialogProps {
  question: Question;
  onAnswer: (confirmed: boolean) => void;
}

/** Loaded with the first question. */
export function ConfirmDialog({ question, onAnswer }: ConfirmDialogProps) {
  const { t } = useTranslation();
  const work = useAction(async () => question.work?.());
  const { typed } = question;
  const [text, setText] = useState('');
  const isMeant = typed === undefined || text.trim() === typed;
  const confirm = async () => {
    if (await work.run()) onAnswer(true);
  };
  return (
    <Dialog open onOpenChange={(open) => !open && !work.pending && onAnswer(false)}>
      <DialogContent role="alertdialog">
        <DialogTitle className="mb-1.5">{question.title}</DialogTitle>
        <DialogDescription asChild>
          <div>{question.body}</div>
        </DialogDescription>
        {typed !== undefined && (
          <label className="mt-3 grid gap-1.5 text-sm">
            {t('app.typeToConfirm', { word: typed })}
            <Input
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        )}
        {work.error !== null && (
          <Notice tone={errorTone(work.error)} className="mt-3" role="alert">
            {errorText(work.error, t)} <code className="font-mono text-xs">{requestIdOf(work.error)}</code>
          </Notice>
        )}
        <DialogActions>
          {/* First in order, so that the dialog's focus falls on what changes nothing. */}
          <Button onClick={() => onAnswer(false)}>{question.keep ?? t('app.cancel')}</Button>
          <Button
            variant={question.danger ? 'danger-fill' : 'primary'}
            busy={work.pending}
            disabled={!isMeant}
            onClick={() => void confirm()}
          >
            {question.action}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
