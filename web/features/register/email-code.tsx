/** A mailbox and the code that went there. */
import { CODE_AGAIN_SEC } from '@core/account-rules.ts';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { CodeInput, SendCodeButton } from '@/features/sign-in/code-input.tsx';
import type { HumanCheck } from '@/features/sign-in/human-check.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCountdown } from '@/lib/use-countdown.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { RegisterValues } from './rules.ts';

interface EmailCodeProps {
  form: Form<RegisterValues>;
  isNeeded: boolean;
  human: HumanCheck;
}

export function EmailCode({ form, isNeeded, human }: EmailCodeProps) {
  const { t } = useTranslation();
  const api = useApi();
  const { left, start } = useCountdown('email-code');
  const email = form.values.email.trim();
  const send = useAction(async () => {
    await human.spend((query) => api.get('/api/verification', { query: { email, ...query } }));
    start(CODE_AGAIN_SEC);
    document.getElementById(form.id('code'))?.focus();
  });
  const isSent = left > 0 && send.error === null;
  return (
    <>
      <Field
        id={form.id('email')}
        label={t('register.email')}
        end={!isNeeded && <span className="text-muted">{t('register.optional')}</span>}
        error={form.error('email')}
      >
        <div className="flex gap-2">
          <Input
            {...form.text('email')}
            type="email"
            inputMode="email"
            autoComplete="email"
            spellCheck={false}
          />
          <SendCodeButton
            left={left}
            disabled={email === '' || !(human.isReady || send.pending)}
            reasonId={human.reasonId}
            busy={send.pending}
            onSend={() => void send.run()}
          />
        </div>
      </Field>
      <div role="status" className="empty:hidden">
        {isSent && <Notice tone="ok">{t('register.codeSent')}</Notice>}
        {send.error !== null && <Notice tone={errorTone(send.error)}>{errorText(send.error, t)}</Notice>}
      </div>
      {(isNeeded || email !== '') && (
        <Field id={form.id('code')} label={t('register.code')} error={form.error('code')}>
          <CodeInput form={form} />
        </Field>
      )}
    </>
  );
}
