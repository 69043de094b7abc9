/** A phone number and the code that goes there: to sign in with, or to register. */
import { CODE_AGAIN_SEC } from '@core/account-rules.ts';
import { type ReactNode, useState } from 'react';
import { ScriptNeeded } from '@/components/script-needed.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCountdown } from '@/lib/use-countdown.ts';
import { type Form, useForm } from '@/lib/use-form.ts';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useAgreement } from './agreement.tsx';
import { CodeInput, SendCodeButton } from './code-input.tsx';
import { type PhoneValues, phoneErrors } from './phone-rules.ts';

const CaptchaDialog = late(() => import('./captcha-dialog.tsx').then((module) => module.CaptchaDialog));

interface PhoneFormProps {
  /** The button's words, at rest and while its work is under way, and what is said of a failure without words. */
  words: { submit: string; submitting: string; failed?: string };
  submit: (values: PhoneValues) => Promise<void>;
  /** Above the fields. */
  children?: ReactNode;
}

export function PhoneForm({ words, submit, children }: PhoneFormProps) {
  const { t } = useTranslation();
  const isLive = useLive();
  const agreement = useAgreement();
  const form = useForm<PhoneValues>({
    initial: { phone: '', code: '' },
    validate: (values) => phoneErrors(values, t),
    submit: ({ phone, code }) =>
      agreement.whenAgreed(() => submit({ phone: phone.trim(), code: code.trim() })),
  });
  return (
    // It is sent by script alone; what is typed never stands in an address.
    <form method="post" noValidate onSubmit={form.onSubmit} className="grid gap-5">
      <ScriptNeeded />
      <div role="alert" className="empty:hidden">
        {form.failure !== null && (
          <Notice tone={errorTone(form.failure)}>{errorText(form.failure, t, words.failed)}</Notice>
        )}
      </div>
      {children}
      <Field id={form.id('phone')} label={t('phone.number')} error={form.error('phone')}>
        <Input
          {...form.text('phone')}
          type="tel"
          inputMode="numeric"
          autoComplete="tel-national"
          maxLength={20}
        />
      </Field>
      <CodeField form={form} />
      {agreement.box}
      <Button type="submit" variant="primary" size="lg" busy={form.pending} disabled={!isLive}>
        {form.pending ? words.submitting : words.submit}
      </Button>
    </form>
  );
}

function CodeField({ form }: { form: Form<PhoneValues> }) {
  const { t } = useTranslation();
  const api = useApi();
  const isLive = useLive();
  const { left, start } = useCountdown('phone-code');
  const [isAsked, setAsked] = useState(false);
  const phone = form.values.phone.trim();
  const send = useAction(async () => {
    await api.send('POST', '/api/sms/code', { body: { mobile: phone } });
    start(CODE_AGAIN_SEC);
    document.getElementById(form.id('code'))?.focus();
  });
  const ask = () => {
    form.leave('phone');
    if (phoneErrors(form.values, t).phone === undefined) setAsked(true);
    else document.getElementById(form.id('phone'))?.focus();
  };
  const isSent = left > 0 && send.error === null;
  return (
    <>
      <Field id={form.id('code')} label={t('register.code')} error={form.error('code')}>
        <div className="flex gap-2">
          <CodeInput form={form} />
          <SendCodeButton left={left} disabled={!isLive} busy={send.pending} onSend={ask} />
        </div>
      </Field>
      <div role="status" className="empty:hidden">
        {send.pending && <Notice>{t('captcha.passed')}</Notice>}
        {isSent && <Notice tone="ok">{t('phone.codeSent')}</Notice>}
        {send.error !== null && <Notice tone={errorTone(send.error)}>{errorText(send.error, t)}</Notice>}
      </div>
      {isAsked && (
        <CaptchaDialog
          onClose={() => setAsked(false)}
          onPassed={() => {
            setAsked(false);
            void send.run();
          }}
        />
      )}
    </>
  );
}
