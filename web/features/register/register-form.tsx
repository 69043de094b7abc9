/** The form for a new account with a user name and a password. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { PasswordInput } from '@/components/password-input.tsx';
import { ScriptNeeded } from '@/components/script-needed.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useAgreement } from '@/features/sign-in/agreement.tsx';
import { useHumanCheck } from '@/features/sign-in/human-check.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { EmailCode } from './email-code.tsx';
import { PasswordRules } from './password-rules.tsx';
import { type RegisterValues, registerErrors } from './rules.ts';

const route = getRouteApi('/register');

export function RegisterForm({ isEmailNeeded }: { isEmailNeeded: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const { status } = useBoot();
  const isLive = useLive();
  const router = useRouter();
  const { next, aff = '' } = route.useSearch();
  const agreement = useAgreement();
  const human = useHumanCheck('register');
  const register = async ({ username, password, password2, email, code }: RegisterValues) => {
    const account = {
      username: username.trim(),
      password,
      password2,
      email: email.trim(),
      verification_code: code.trim(),
      aff_code: aff,
    };
    await human.spend((query) => api.send('POST', '/api/user/register', { query, body: account }));
    await router.navigate({ to: '/login', search: { next, registered: 'true' } });
  };
  const form = useForm<RegisterValues>({
    initial: { username: '', password: '', password2: '', email: '', code: '' },
    validate: (values) => registerErrors(values, { isEmailNeeded, t }),
    submit: (values) => agreement.whenAgreed(() => register(values)),
  });
  return (
    // It is sent by script alone; what is typed never stands in an address.
    <form method="post" noValidate onSubmit={form.onSubmit} className="grid gap-5">
      <ScriptNeeded />
      <div role="alert" className="empty:hidden">
        {form.failure !== null && (
          <Notice tone={errorTone(form.failure)}>{errorText(form.failure, t)}</Notice>
        )}
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
      {(isEmailNeeded || status.mail_enabled) && (
        <EmailCode form={form} isNeeded={isEmailNeeded} human={human} />
      )}
      {agreement.box}
      {human.box}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        busy={form.pending}
        disabled={!isLive || !(human.isReady || form.pending)}
        aria-describedby={human.reasonId}
      >
        {t(form.pending ? 'register.submitting' : 'register.submit')}
      </Button>
    </form>
  );
}
