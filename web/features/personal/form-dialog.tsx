/** A short form in a dialog. */
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone, requestIdOf } from '@/lib/error-text.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface FormDialogProps<V extends object> {
  title: string;
  /** What it does, and what follows from it. */
  description: ReactNode;
  form: Form<V>;
  /** A verb. */
  action: string;
  danger?: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog<V extends object>(props: FormDialogProps<V>) {
  const { title, description, form, action, danger, onClose, children } = props;
  const { t } = useTranslation();
  return (
    <Dialog open onOpenChange={(open) => !open && !form.pending && onClose()}>
      <DialogContent onInteractOutside={(event) => form.dirty && event.preventDefault()}>
        <DialogTitle className="mb-1.5">{title}</DialogTitle>
        <DialogDescription asChild>
          <div>{description}</div>
        </DialogDescription>
        <form noValidate data-form onSubmit={form.onSubmit} className="group/form mt-4">
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">{children}</div>
          <div role="alert" className="not-empty:mt-4">
            {form.failure !== null && (
              <Notice tone={errorTone(form.failure)}>
                {errorText(form.failure, t)}{' '}
                <code className="font-mono text-xs">{requestIdOf(form.failure)}</code>
              </Notice>
            )}
          </div>
          <DialogActions>
            <Button onClick={onClose}>{t('app.cancel')}</Button>
            <Button type="submit" variant={danger ? 'danger-fill' : 'primary'} busy={form.pending}>
              {action}
            </Button>
          </DialogActions>
        </form>
      </DialogContent>
    </Dialog>
  );
}
