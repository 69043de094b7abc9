/** The sign-in form: a plain form post without JavaScript, a call with its answer inline where there is some. */
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { PasswordInput } from '@/components/password-input.tsx';
import { ScriptNeeded } from '@/components/script-needed.tsx';
import { Button } from '@/components/ui/button.tsx';
import { controlAria, Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useAgreement } from './agreement.tsx';
import { FormMessage } from './form-message.tsx';
import { useHumanCheck } from './human-check.tsx';
import { leadOn } from './lead-on.ts';

const route = getRouteApi('/login');

export function PasswordForm() {
  const { t } = useTranslation();
  const { next } = route.useSearch();
  const { loginAttempt } = useBoot();
  const api = useApi();
  const isLive = useLive();
  const agreement = useAgreement();
  const human = useHumanCheck('login');
  const ids = { username: useId(), password: useId(), error: useId() };
  const [missing, setMissing] = useState(false);
  const login = useAction(async (username: string, password: string) => {
    const answer = await human.spend((query) =>
      api.send('POST', '/api/user/login', { query, body: { username, password } }),
    );
    await leadOn(answer, next);
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const username = String(form.get('username')).trim();
    const password = String(form.get('password'));
    const incomplete = username === '' || password === '';
    setMissing(incomplete);
    if (incomplete) event.currentTarget.querySelector<HTMLInputElement>('input:placeholder-shown')?.focus();
    else void agreement.whenAgreed(() => login.run(username, password));
  };

  return (
    // Without JavaScript the browser itself asks for what is required.
    <form method="post" action="/login" onSubmit={submit} noValidate={isLive} aria-describedby={ids.error}>
      <input type="hidden" name="next" value={next ?? ''} />
      {human.box && <ScriptNeeded />}
      <FormMessage id={ids.error} tone={errorTone(login.error)}>
        {missing
          ? t('login.fieldsNeeded')
          : login.error
            ? errorText(login.error, t, t('login.failed'))
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
      <Field id={ids.password} label={t('login.password')} className="mb-5">
        <PasswordInput
          {...controlAria(ids.password)}
          name="password"
          autoComplete="current-password"
          required
          placeholder=" "
        />
      </Field>
      {agreement.box && <div className="mb-5">{agreement.box}</div>}
      {human.box && <div className="mb-4">{human.box}</div>}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="w-full"
        busy={login.pending}
        disabled={!human.isReady && !login.pending}
        aria-describedby={human.reasonId}
      >
        {t(login.pending ? 'login.submitting' : 'login.submit')}
      </Button>
    </form>
  );
}
