/** The sign-in form: a plain form post without JavaScript, a call with its answer inline where there is some. */

import { safeNext } from '@core/next-path.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { PasswordInput } from '@/components/password-input.tsx';
import { GuestColumn, GuestShell } from '@/components/shell/guest-shell.tsx';
import { Button } from '@/components/ui/button.tsx';
import { controlAria, Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { keep } from '@/lib/storage.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/login');

interface SignedIn {
  id: number;
  username: string;
  role: number;
}

export function LoginPage() {
  const { t } = useTranslation();
  const { status } = useBoot();
  return (
    <GuestShell>
      <GuestColumn title={t('login.title')}>
        <ArrivalNotice />
        {status.enabled_password_login ? <PasswordForm /> : <Notice tone="warn">{t('login.closed')}</Notice>}
        <OtherWays />
      </GuestColumn>
    </GuestShell>
  );
}

/** For who has no account yet, or no password any more. In Chinese the top bar alone leads to registration. */
function OtherWays() {
  const { t } = useTranslation();
  const { status, locale } = useBoot();
  const { next } = route.useSearch();
  return (
    <p className="mt-5 flex flex-wrap justify-between gap-x-4 gap-y-2 text-sm text-muted">
      {status.enabled_password_login && (
        <Link to="/reset" className="text-accent-text underline">
          {t('reset.forgot')}
        </Link>
      )}
      {status.WebRegisterEnabled && locale !== 'zh' && (
        <span>
          {t('register.noAccount')}{' '}
          <Link to="/register" search={{ next }} className="text-accent-text underline">
            {t('register.title')}
          </Link>
        </span>
      )}
    </p>
  );
}

/** Why one stands here, when it was not one's own idea. */
function ArrivalNotice() {
  const { t } = useTranslation();
  const { next, expired, left, registered } = route.useSearch();
  if (left || registered) {
    return (
      <Notice tone="ok" className="mb-5">
        {t(left ? 'shell.loggedOut' : 'register.done')}
      </Notice>
    );
  }
  if (!expired) return null;
  const path = next === undefined ? '' : safeNext(next, '');
  return (
    <Notice className="mb-5">
      <span>{t('login.expired')}</span>
      {path && <ReturnNote path={path} />}
    </Notice>
  );
}

/** The path stands out in its sentence, wherever the language puts it. */
function ReturnNote({ path }: { path: string }) {
  const { t } = useTranslation();
  const [before, after] = t('login.returnTo', { path: '\n' }).split('\n');
  return (
    <span className="[:lang(en)_&]:ml-1">
      {before}
      <code className="font-mono break-all">{path}</code>
      {after}
    </span>
  );
}

function PasswordForm() {
  const { t } = useTranslation();
  const { next } = route.useSearch();
  const { loginAttempt } = useBoot();
  const api = useApi();
  const ids = { username: useId(), password: useId(), error: useId() };
  const [missing, setMissing] = useState(false);
  const login = useAction(async (username: string, password: string) => {
    keep.user(await api.send<SignedIn>('POST', '/api/user/login', { username, password }));
    window.location.assign(safeNext(next));
    // The button stays busy until the new page stands.
    await new Promise(() => {});
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const username = String(form.get('username')).trim();
    const password = String(form.get('password'));
    const incomplete = username === '' || password === '';
    setMissing(incomplete);
    if (incomplete) event.currentTarget.querySelector<HTMLInputElement>('input:placeholder-shown')?.focus();
    else void login.run(username, password);
  };

  return (
    <form method="post" action="/login" onSubmit={submit} noValidate aria-describedby={ids.error}>
      <input type="hidden" name="next" value={next ?? ''} />
      <FormMessage id={ids.error}>
        {missing
          ? t('login.fieldsNeeded')
          : login.error
            ? errorText(login.error, t)
            : !login.pending && loginAttempt?.message}
      </FormMessage>
      <Field id={ids.username} label={t('login.username')} className="mb-5">
        <Input
          {...controlAria(ids.username)}
          name="username"
          defaultValue={loginAttempt?.username}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          placeholder={t('login.usernameHelp')}
        />
      </Field>
      <Field id={ids.password} label={t('login.password')} className="mb-6">
        <PasswordInput
          {...controlAria(ids.password)}
          name="password"
          autoComplete="current-password"
          required
          placeholder=" "
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" className="w-full" busy={login.pending}>
        {t(login.pending ? 'login.submitting' : 'login.submit')}
      </Button>
    </form>
  );
}

/** Always there, so that what appears in it is read out. */
function FormMessage({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div id={id} role="alert">
      {children && (
        <Notice tone="bad" className="mb-5">
          {children}
        </Notice>
      )}
    </div>
  );
}
