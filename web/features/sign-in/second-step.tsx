/** The second step of a sign-in: a code of the authenticator, or a backup code. A plain form post without JavaScript. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { controlAria, Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FormMessage } from './form-message.tsx';
import { leadOn } from './lead-on.ts';
import { PasskeyStep } from './passkey-step.tsx';

const route = getRouteApi('/login');

export function SecondStep({ by }: { by: 'code' | 'backup' }) {
  const { t } = useTranslation();
  const { next, passkey } = route.useSearch();
  const { loginAttempt } = useBoot();
  const api = useApi();
  const isLive = useLive();
  const ids = { code: useId(), error: useId() };
  const [missing, setMissing] = useState(false);
  const login = useAction(async (code: string) => {
    await leadOn(await api.send('POST', '/api/user/login/2fa', { body: { code } }), next);
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const control = event.currentTarget.elements.namedItem('code');
    if (!(control instanceof HTMLInputElement)) return;
    const code = control.value.trim();
    setMissing(code === '');
    if (code === '') control.focus();
    else void login.run(code).then((isDone) => !isDone && control.select());
  };

  const isBackup = by === 'backup';
  const other = isBackup ? 'code' : 'backup';
  return (
    <form
      method="post"
      action="/login/2fa"
      onSubmit={submit}
      noValidate={isLive}
      aria-describedby={ids.error}
    >
      <input type="hidden" name="next" value={next ?? ''} />
      <input type="hidden" name="second" value={by} />
      <FormMessage id={ids.error} tone={errorTone(login.error)}>
        {missing
          ? t('second.codeNeeded')
          : login.error
            ? errorText(login.error, t)
            : !login.pending && loginAttempt?.message}
      </FormMessage>
      <Field
        // Another kind of code begins with an empty field.
        key={by}
        id={ids.code}
        label={t(isBackup ? 'second.backupCode' : 'second.code')}
        help={t(isBackup ? 'second.backupHelp' : 'second.codeHelp')}
        className="mb-5"
      >
        <Input
          {...controlAria(ids.code)}
          name="code"
          inputMode={isBackup ? 'text' : 'numeric'}
          autoComplete={isBackup ? 'off' : 'one-time-code'}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
          maxLength={32}
          className="font-mono"
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" className="w-full" busy={login.pending}>
        {t(login.pending ? 'login.submitting' : 'second.submit')}
      </Button>
      {passkey && <PasskeyStep next={next} />}
      <p className="mt-5 flex flex-wrap justify-between gap-x-4 gap-y-2 text-sm text-muted">
        <Link
          to="/login"
          search={{ next, second: other, passkey }}
          replace
          className="hit text-accent-text underline"
        >
          {t(isBackup ? 'second.useCode' : 'second.useBackup')}
        </Link>
        <Link to="/login" search={{ next }} className="hit text-accent-text underline">
          {t('second.startOver')}
        </Link>
      </p>
    </form>
  );
}
