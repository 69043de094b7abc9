/**
 * A form in a drawer that is a route. Closing, the back button and leaving the page ask first when something would be
 * lost; a failed save stays, with everything that was typed.
 */
import type { ReactNode } from 'react';
import { errorText } from '@/lib/error-text.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FormFailure } from './form-failure.tsx';
import { useLeaveGuard } from './leave-guard.ts';
import { Button } from './ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead, focusFirstField } from './ui/dialog.tsx';

interface DrawerFormProps<V extends object> {
  title: ReactNode;
  sub?: ReactNode;
  form: Form<V>;
  submitLabel: string;
  /** Said of a save of which the server said nothing. */
  failed?: string;
  /** Leaves the drawer; asked for only when nothing would be lost, or it may be. */
  onClose: () => void;
  /** Further buttons, left of the primary one. */
  actions?: ReactNode;
  /** Set once the form has been saved: leaving is then free, also before the drawer has gone. */
  saved?: boolean;
  children: ReactNode;
}

export function DrawerForm<V extends object>(props: DrawerFormProps<V>) {
  const { title, sub, form, submitLabel, failed, onClose, actions, saved = false, children } = props;
  const { t } = useTranslation();
  useLeaveGuard(form.dirty && !saved);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent
        aria-describedby={undefined}
        onOpenAutoFocus={focusFirstField}
        onInteractOutside={(event) => {
          if (form.dirty) event.preventDefault();
        }}
        onKeyDown={(event) => {
          // Not what was pressed in a dialog over the drawer, which React tells here, too.
          const isHere = event.target instanceof Node && event.currentTarget.contains(event.target);
          if (isHere && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.onSubmit(event);
        }}
      >
        <DrawerHead title={title} sub={sub} />
        <form
          data-form
          noValidate
          onSubmit={form.onSubmit}
          className="group/form flex min-h-0 flex-1 flex-col"
        >
          <DrawerBody aria-label={typeof title === 'string' ? title : undefined}>
            <FormFailure failure={form.failure} text={errorText(form.failure, t, failed)} className="mb-5" />
            <div className="grid grid-cols-[minmax(0,1fr)] gap-5">{children}</div>
          </DrawerBody>
          <DrawerFoot>
            <Button size="lg" className="max-md:hidden" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            {/* On the phone there is no room for it, but it is said there too. */}
            <span role="status" className="ml-2 text-xs text-muted max-md:sr-only">
              {form.wrong > 0 ? (
                <span className="text-bad">{t('app.needAttention', { count: form.wrong })}</span>
              ) : (
                form.dirty && !saved && t('app.unsaved', { count: form.changes })
              )}
            </span>
            <span className="ml-auto flex gap-2 max-md:flex-1 max-md:*:flex-1">
              {actions}
              <Button type="submit" variant="primary" size="lg" busy={form.pending}>
                {form.pending ? t('app.saving') : submitLabel}
              </Button>
            </span>
          </DrawerFoot>
        </form>
      </DrawerContent>
    </Dialog>
  );
}
