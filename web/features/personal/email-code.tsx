/** Two fields of a form: a mailbox, and the code that went there. */
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCountdown } from '@/lib/use-countdown.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { EmailValues } from './rules.ts';

const AGAIN_SEC = 60;

interface EmailCodeProps {
  form: Pick<Form<EmailValues>, 'id' | 'text' | 'error' | 'values'>;
  label: string;
  /** What stands there needs a code. */
  needsCode: boolean;
  help?: string;
  placeholder?: string;
}

export function EmailCode({ form, label, needsCode, help, placeholder }: EmailCodeProps) {
  const { t } = useTranslation();
  const api = useApi();
  const { left, start } = useCountdown('email-code');
  const [sentTo, setSentTo] = useState('');
  const email = form.values.email.trim();
  const send = useAction(async () => {
    setSentTo('');
    await api.get('/api/verification', { email });
    setSentTo(email);
    start(AGAIN_SEC);
    document.getElementById(form.id('code'))?.focus();
  });
  return (
    <>
      <Field id={form.id('email')} label={label} error={form.error('email')} help={help}>
        <div className="flex gap-2">
          <Input
            {...form.text('email')}
            type="email"
            inputMode="email"
            autoComplete="email"
            spellCheck={false}
            placeholder={placeholder}
          />
          {needsCode && (
            <Button
              size="lg"
              className="shrink-0 tabular-nums"
              disabled={email === '' || left > 0}
              busy={send.pending}
              onClick={() => void send.run()}
            >
              {left > 0 ? t('register.again', { seconds: left }) : t('register.sendCode')}
            </Button>
          )}
        </div>
      </Field>
      <div role="status" className="empty:hidden">
        {sentTo !== '' && send.error === null && (
          <Notice tone="ok">{t('personal.codeSentTo', { email: sentTo })}</Notice>
        )}
        {send.error !== null && <Notice tone="bad">{errorText(send.error, t)}</Notice>}
      </div>
      {needsCode && (
        <Field id={form.id('code')} label={t('register.code')} error={form.error('code')}>
          <Input
            {...form.text('code')}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            className="font-mono"
          />
        </Field>
      )}
    </>
  );
}
