/** A new password for one's own account. */
import { Link } from '@tanstack/react-router';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Gap } from '@/components/gap.tsx';
import { PasswordInput } from '@/components/password-input.tsx';
import { Field } from '@/components/ui/field.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Account } from './personal.ts';
import { passwordErrors } from './rules.ts';
import { useSaved } from './use-told.ts';

interface PasswordDialogProps {
  account: Account;
  onClose: () => void;
}

export function PasswordDialog({ account, onClose }: PasswordDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const saved = useSaved(onClose);
  const form = useForm({
    initial: { password: '', again: '' },
    validate: (values) => passwordErrors(values, t),
    submit: async ({ password }) => {
      await api.send('PUT', '/api/user/self', { body: { password } });
      await saved(t('personal.passwordChanged'));
    },
  });
  return (
    <FormDialog
      title={t(account.has_password ? 'personal.changePassword' : 'personal.setPassword')}
      description={
        <>
          {t('personal.passwordConsequence')}
          <Gap />
          <Link to="/token" className="hit text-accent-text underline">
            {t('personal.passwordTokens')}
          </Link>
        </>
      }
      form={form}
      action={t('app.save')}
      onClose={onClose}
    >
      {/* Password managers look for the name that belongs to it. */}
      <input type="hidden" autoComplete="username" value={account.username} readOnly />
      <Field
        id={form.id('password')}
        label={t('user.newPassword')}
        error={form.error('password')}
        help={t('personal.passwordHelp')}
      >
        <PasswordInput {...form.text('password')} autoComplete="new-password" />
      </Field>
      <Field id={form.id('again')} label={t('personal.passwordAgain')} error={form.error('again')}>
        <PasswordInput {...form.text('again')} autoComplete="new-password" />
      </Field>
    </FormDialog>
  );
}
