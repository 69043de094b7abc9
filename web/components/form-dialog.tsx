/** A short form in a dialog: a few fields, a button, and what came of it. */
import type { ReactNode } from 'react';
import { errorText, errorTone, requestIdOf } from '@/lib/error-text.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from './ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
  focusFirstField,
} from './ui/dialog.tsx';
import { Notice } from './ui/notice.tsx';

interface FormDialogProps<V extends object> {
  title: string;
  /** What it does, and what follows from it, where the title does not say it. */
  description?: ReactNode;
  form: Form<V>;
  /** A verb. */
  action: string;
  danger?: boolean;
  /** Nothing can be sent yet. */
  incomplete?: boolean;
  /** On the other button, where nothing is left to cancel. */
  dismiss?: string;
  /** What came of it, where it stays open. */
  outcome?: ReactNode;
  /** What is shown of the form's failure, where a field shows some by itself. */
  failure?: unknown;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog<V extends object>(props: FormDialogProps<V>) {
  const { title, description, form, danger, failure = form.failure, onClose } = props;
  const { t } = useTranslation();
  return (
    <Dialog open onOpenChange={(open) => !open && !form.pending && onClose()}>
      <DialogContent
        onOpenAutoFocus={focusFirstField}
        onInteractOutside={(event) => form.dirty && event.preventDefault()}
        {...(description === undefined && { 'aria-describedby': undefined })}
      >
        <DialogTitle className="mb-1.5">{title}</DialogTitle>
        {description !== undefined && (
          <DialogDescription asChild>
            <div>{description}</div>
          </DialogDescription>
        )}
        <form noValidate data-form onSubmit={form.onSubmit} className="group/form mt-4">
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">{props.children}</div>
          <div role="status" className="not-empty:mt-4">
            {props.outcome}
          </div>
          <div role="alert" className="not-empty:mt-4">
            {failure !== null && (
              <Notice tone={errorTone(failure)}>
                <span>{errorText(failure, t)}</span>{' '}
                <code className="font-mono text-xs">{requestIdOf(failure)}</code>
              </Notice>
            )}
          </div>
          <DialogActions>
            <Button onClick={onClose}>{props.dismiss ?? t('app.cancel')}</Button>
            <Button
              type="submit"
              variant={danger ? 'danger-fill' : 'primary'}
              busy={form.pending}
              disabled={props.incomplete}
            >
              {props.action}
            </Button>
          </DialogActions>
        </form>
      </DialogContent>
    </Dialog>
  );
}
