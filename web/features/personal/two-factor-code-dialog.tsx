/** Asks for a code of the authenticator, or a backup code, before something is done. */

import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { type Form, useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface TwoFactorCodeDialogProps {
  title: string;
  description: string;
  /** A verb. */
  action: string;
  danger?: boolean;
  onSubmit: (code: string) => Promise<void>;
  onClose: () => void;
}

export function TwoFactorCodeDialog({ onSubmit, ...props }: TwoFactorCodeDialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: code.trim() === '' ? t('second.codeNeeded') : undefined }),
    submit: ({ code }) => onSubmit(code.trim()),
  });
  return (
    <FormDialog form={form} {...props}>
      <EitherCodeField form={form} />
    </FormDialog>
  );
}

/** A code of the authenticator, or a backup code, in a form that has more to ask. */
export function EitherCodeField({ form }: { form: Pick<Form<{ code: string }>, 'id' | 'text' | 'error'> }) {
  const { t } = useTranslation();
  return (
    <Field
      id={form.id('code')}
      label={t('second.code')}
      help={t('second.eitherHelp')}
      error={form.error('code')}
    >
      <Input
        {...form.text('code')}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={32}
        className="font-mono"
      />
    </Field>
  );
}
