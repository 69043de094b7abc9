import { PASSKEY_NAME_MAX } from '@modules/auth/facts.ts';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface PasskeyDialogProps {
  title: string;
  description?: string;
  /** As it is now. */
  name: string;
  /** A verb. */
  action: string;
  onSubmit: (name: string) => Promise<void>;
  onClose: () => void;
}

/** Asks how a passkey is to be called. */
export function PasskeyDialog({ name, onSubmit, ...props }: PasskeyDialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    initial: { name },
    validate: (values) => {
      const length = [...values.name.trim()].length;
      return { name: length < 1 || length > PASSKEY_NAME_MAX ? t('passkey.nameBad') : undefined };
    },
    submit: (values) => onSubmit(values.name.trim()),
  });
  return (
    <FormDialog form={form} {...props}>
      <Field id={form.id('name')} label={t('token.name')} error={form.error('name')}>
        <Input {...form.text('name')} autoComplete="off" />
      </Field>
    </FormDialog>
  );
}
