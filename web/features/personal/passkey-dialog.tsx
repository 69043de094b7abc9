import { PASSKEY_NAME_MAX } from '@modules/auth/facts.ts';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { EitherCodeField } from './two-factor-code-dialog.tsx';

interface PasskeyDialogProps {
  title: string;
  description?: string;
  /** As it is now. */
  name: string;
  /** A verb. */
  action: string;
  /** Whether a code of the second factor is asked for as well. */
  asksCode?: boolean;
  onSubmit: (given: { name: string; code: string }) => Promise<void>;
  onClose: () => void;
}

/** Asks how a passkey is to be called. */
export function PasskeyDialog({ name, asksCode = false, onSubmit, ...props }: PasskeyDialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    initial: { name, code: '' },
    validate: (values) => {
      const length = [...values.name.trim()].length;
      return {
        name: length < 1 || length > PASSKEY_NAME_MAX ? t('passkey.nameBad') : undefined,
        code: asksCode && values.code.trim() === '' ? t('second.codeNeeded') : undefined,
      };
    },
    submit: (values) => onSubmit({ name: values.name.trim(), code: values.code.trim() }),
  });
  return (
    <FormDialog form={form} {...props}>
      <Field id={form.id('name')} label={t('token.name')} error={form.error('name')}>
        <Input {...form.text('name')} autoComplete="off" />
      </Field>
      {asksCode && <EitherCodeField form={form} />}
    </FormDialog>
  );
}
