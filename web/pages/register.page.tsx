/** The form for a new account. */
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { PasswordInput } from '@/components/password-input.tsx';
import { GuestColumn, GuestShell } from '@/components/shell/guest-shell.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { EmailCode } from '@/features/register/email-code.tsx';
import { PasswordRules } from '@/features/register/password-rules.tsx';
import { type RegisterValues, registerErrors } from '@/features/register/rules.ts';
import { errorText } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/register');

export function RegisterPage() {
  const { t } = useTranslation();
  const { status } = useBoot();
  const search = route.useSearch();
  return (
    <GuestShell>
      <GuestColumn title={t('register.title')}>
        {status.WebRegisterEnabled ? (
          <RegisterForm isEmailNeeded={status.email_verification} />
        ) : (
          <Notice tone="warn">{t('register.closed')}</Notice>
        )}
        <p className="mt-5 text-center text-sm text-muted">
          {t('register.haveAccount')}{' '}
          <Link to="/login" search={{ next: search.next }} className="text-accent-text underline">
            {t('login.title')}
          </Link>
        </p>
      </GuestColumn>
    </GuestShell>
  );
}

function RegisterForm({ isEmailNeeded }: { isEmailNeeded: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const { next, aff = '' } = route.useSearch();
  const form = useForm<RegisterValues>({
    initial: { username: '', password: '', password2: '', email: '', code: '' },
    validate: (values) => registerErrors(values, { isEmailNeeded, t }),
    submit: async ({ username, password, password2, email, code }) => {
      await api.send('POST', '/api/user/register', {
        username: username.trim(),
        password,
        password2,
        email: email.trim(),
        verification_code: code.trim(),
        aff_code: aff,
      });
      await router.navigate({ to: '/login', search: { next, registered: 'true' } });
    },
  });
  return (
    <form noValidate onSubmit={form.onSubmit} className="grid gap-5">
      <div role="alert" className="empty:hidden">
        {form.failure !== null && <Notice tone="bad">{errorText(form.failure, t)}</Notice>}
      </div>
      {aff !== '' && (
        <Notice>
          {t('register.invited')} <code className="font-mono">{aff}</code>
        </Notice>
      )}
      <Field
        id={form.id('username')}
        label={t('login.username')}
        error={form.error('username')}
        help={t('register.usernameHelp')}
      >
        <Input {...form.text('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field id={form.id('password')} label={t('login.password')} error={form.error('password')}>
        <PasswordInput
          {...form.text('password')}
          autoComplete="new-password"
          placeholder={t('register.passwordHelp')}
        />
      </Field>
      <Field id={form.id('password2')} label={t('register.password2')} error={form.error('password2')}>
        <PasswordInput {...form.text('password2')} autoComplete="new-password" />
      </Field>
      <PasswordRules password={form.values.password} again={form.values.password2} />
      <EmailCode form={form} isNeeded={isEmailNeeded} />
      <Button type="submit" variant="primary" size="lg" busy={form.pending}>
        {t(form.pending ? 'register.submitting' : 'register.submit')}
      </Button>
    </form>
  );
}
