import { CODE_AGAIN_SEC } from '@core/account-rules.ts';
import { type FormEvent, useId, useState } from 'react';
import { ScriptNeeded } from '@/components/script-needed.tsx';
import { Button } from '@/components/ui/button.tsx';
import { controlAria, Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCountdown } from '@/lib/use-countdown.ts';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useHumanCheck } from './human-check.tsx';

export function ResetForm() {
  const { t } = useTranslation();
  const api = useApi();
  const isLive = useLive();
  const human = useHumanCheck('reset');
  const id = useId();
  const { left, start } = useCountdown('reset');
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const ask = useAction(async (to: string) => {
    setSentTo('');
    await human.spend((query) => api.get('/api/reset_password', { query: { email: to, ...query } }));
    setSentTo(to);
    start(CODE_AGAIN_SEC);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const to = email.trim();
    setEmpty(to === '');
    if (to === '') document.getElementById(id)?.focus();
    else void ask.run(to);
  };
  const error = isEmpty ? t('reset.emailNeeded') : undefined;
  return (
    <form noValidate onSubmit={submit} className="grid gap-5">
      <ScriptNeeded />
      <p className="-mt-3 text-sm text-muted">{t('reset.help')}</p>
      <div role="status" className="empty:hidden">
        {sentTo !== '' && <Notice tone="ok">{t('reset.sent', { email: sentTo })}</Notice>}
        {ask.error !== null && <Notice tone={errorTone(ask.error)}>{errorText(ask.error, t)}</Notice>}
      </div>
      <Field id={id} label={t('register.email')} error={error}>
        <Input
          {...controlAria(id, { error })}
          type="email"
          inputMode="email"
          autoComplete="email"
          spellCheck={false}
          value={email}
          onChange={(event) => {
            setEmail(event.target.value);
            setEmpty(false);
          }}
        />
      </Field>
      {human.box}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="tabular-nums"
        busy={ask.pending}
        disabled={!isLive || left > 0 || !(human.isReady || ask.pending)}
        aria-describedby={human.reasonId}
      >
        {left > 0 ? t('register.again', { seconds: left }) : t('reset.submit')}
      </Button>
    </form>
  );
}
