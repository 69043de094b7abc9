import { type ReactNode, useId } from 'react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CopyButton } from './copy-button.tsx';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';

interface CopyFieldProps {
  label: string;
  /** What the field shows. */
  value: string;
  /** What is copied, when it is not what is shown; null when nothing can be. */
  copy?: (() => Promise<string>) | null;
  end?: ReactNode;
  help?: ReactNode;
  onError?: (error: unknown) => void;
}

/** A value to be taken elsewhere, with the button that takes it. */
export function CopyField({ label, value, copy, end, help, onError }: CopyFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Field id={id} label={label} end={end} help={help}>
      <div className="flex">
        <Input
          id={id}
          readOnly
          value={value}
          className={cn('font-mono text-sm!', copy !== null && 'rounded-r-none')}
        />
        {copy !== null && (
          <CopyButton
            text={copy ?? value}
            label={t('app.copy')}
            onError={onError}
            className="h-auto rounded-l-none border-l-0 border-line-strong bg-sunken max-md:h-auto"
          />
        )}
      </div>
    </Field>
  );
}
