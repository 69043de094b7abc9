/** Binding a mailbox, or another one. */

import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CodeField } from './code-field.tsx';
import type { Account } from './personal.ts';
import { emailErrors } from './rules.ts';
import { useSaved } from './use-told.ts';

interface EmailDialogProps {
  account: Account;
  onClose: () => void;
}

export function EmailDialog({ account, onClose }: EmailDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const saved = useSaved(onClose);
  const form = useForm({
    initial: { email: '', code: '' },
    validate: (values) => emailErrors(values, t),
    submit: async ({ email, code }) => {
      await api.send('POST', '/api/oauth/email/bind', { body: { email: email.trim(), code: code.trim() } });
      await saved(t('personal.emailBound', { email: email.trim() }));
    },
  });
  return (
    <FormDialog
      title={t(account.email ? 'personal.changeEmail' : 'personal.bindEmail')}
      description={
        account.email ? t('personal.emailMoves', { email: account.email }) : t('personal.emailHelp')
      }
      form={form}
      action={t('personal.bind')}
      onClose={onClose}
    >
      <Field id={form.id('email')} label={t('register.email')} error={form.error('email')}>
        <Input
          {...form.text('email')}
          type="email"
          inputMode="email"
          autoComplete="email"
          spellCheck={false}
        />
      </Field>
      <CodeField form={form} />
    </FormDialog>
  );
}
