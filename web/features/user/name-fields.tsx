import { PasswordInput } from '@/components/password-input.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { NewUserValues } from './form.ts';

interface NameFieldsProps {
  /** A form with more fields has these, too. */
  form: Pick<Form<NewUserValues>, 'id' | 'text' | 'error'>;
  passwordHelp: string;
  /** All of it must be filled in. */
  isNew?: boolean;
}

/** What every form of an account begins with. */
export function NameFields({ form, passwordHelp, isNew }: NameFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field
        id={form.id('username')}
        label={t('user.username')}
        required
        error={form.error('username')}
        help={t('register.usernameHelp')}
      >
        <Input {...form.text('username')} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field
        id={form.id('displayName')}
        label={t('user.displayName')}
        error={form.error('displayName')}
        help={isNew ? t('user.displayNameHelp') : undefined}
      >
        <Input {...form.text('displayName')} autoComplete="off" />
      </Field>
      <Field
        id={form.id('password')}
        label={t(isNew ? 'user.password' : 'user.newPassword')}
        required={isNew}
        error={form.error('password')}
        help={passwordHelp}
      >
        <PasswordInput {...form.text('password')} autoComplete="new-password" />
      </Field>
    </>
  );
}
