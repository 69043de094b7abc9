/** The code that proves a mailbox, with the button that sends it there. */
import { CODE_AGAIN_SEC } from '@core/account-rules.ts';
import { useState } from 'react';
import { Field } from '@/components/ui/field.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { CodeInput, SendCodeButton } from '@/features/sign-in/code-input.tsx';
import { useHumanCheck } from '@/features/sign-in/human-check.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCountdown } from '@/lib/use-countdown.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { EmailValues } from './rules.ts';

/** Stands below the field of the mailbox, which is one of the same form. */
export function CodeField({ form }: { form: Pick<Form<EmailValues>, 'id' | 'text' | 'error' | 'values'> }) {
  const { t } = useTranslation();
  const api = useApi();
  const human = useHumanCheck('bind');
  const { left, start } = useCountdown('email-code');
  const [sentTo, setSentTo] = useState('');
  const email = form.values.email.trim();
  const send = useAction(async () => {
    setSentTo('');
    await human.spend((query) => api.get('/api/verification', { query: { email, ...query } }));
    setSentTo(email);
    start(CODE_AGAIN_SEC);
    document.getElementById(form.id('code'))?.focus();
  });
  return (
    <>
      <Field id={form.id('code')} label={t('register.code')} error={form.error('code')}>
        <div className="flex gap-2">
          <CodeInput form={form} />
          <SendCodeButton
            left={left}
            disabled={email === '' || !(human.isReady || send.pending)}
            reasonId={human.reasonId}
            busy={send.pending}
            onSend={() => void send.run()}
          />
        </div>
      </Field>
      {human.box}
      <div role="status" className="empty:hidden">
        {sentTo !== '' && <Notice tone="ok">{t('personal.codeSentTo', { email: sentTo })}</Notice>}
        {send.error !== null && <Notice tone={errorTone(send.error)}>{errorText(send.error, t)}</Notice>}
      </div>
    </>
  );
}
