import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface FieldProps {
  /** Id of the control; its help and error take their ids from it (`controlAria`). */
  id: string;
  label: ReactNode;
  required?: boolean;
  /** Stands at the right end of the label: a count, a link to another way. */
  end?: ReactNode;
  help?: ReactNode;
  error?: string;
  className?: string;
  children: ReactNode;
}

/** Room for a finger between what stands at the end of a label and the control. */
const TOUCHED = 'max-md:min-h-8 max-md:items-center';

/** Label above, control, then help or what is wrong with it. */
export function Field({ id, label, required, end, help, error, className, children }: FieldProps) {
  const { t } = useTranslation();
  return (
    <div className={cn('grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1.5', className)}>
      <div className={cn('flex min-h-[22px] items-baseline gap-2', end && TOUCHED)}>
        <label htmlFor={id} className="text-base font-medium">
          {label}
        </label>
        {required && <span className="text-xs text-muted">{t('app.required')}</span>}
        {end && <span className="ml-auto text-xs">{end}</span>}
      </div>
      {children}
      <FieldHint id={id} help={help} error={error} />
    </div>
  );
}

/** For groups of controls that no single label names. */
export function FieldGroup({ id, label, required, end, help, error, className, children }: FieldProps) {
  const { t } = useTranslation();
  return (
    <fieldset
      id={id}
      className={cn('grid min-w-0 content-start gap-1.5', className)}
      aria-describedby={describedBy(id, help, error)}
    >
      <legend
        className={cn(
          'mb-1.5 flex min-h-[22px] w-full items-baseline gap-2 text-base font-medium',
          end && TOUCHED,
        )}
      >
        {label}
        {required && <span className="text-xs font-normal text-muted">{t('app.required')}</span>}
        {end && <span className="ml-auto text-xs font-normal">{end}</span>}
      </legend>
      {children}
      <FieldHint id={id} help={help} error={error} />
    </fieldset>
  );
}

function FieldHint({ id, help, error }: { id: string; help?: ReactNode; error?: string }) {
  return (
    <>
      {error && (
        <p id={`${id}-error`} className="flex gap-1.5 text-xs text-bad">
          <CircleX className="mt-0.5 size-3.5" aria-hidden="true" />
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="text-xs text-muted">
          {help}
        </p>
      )}
    </>
  );
}

const describedBy = (id: string, help?: ReactNode, error?: string) =>
  [error && `${id}-error`, help ? `${id}-help` : ''].filter(Boolean).join(' ') || undefined;

/** What ties a control to its field. */
export const controlAria = (id: string, { help, error }: { help?: ReactNode; error?: string } = {}) => ({
  id,
  'aria-invalid': error ? true : undefined,
  'aria-describedby': describedBy(id, help, error),
});
