/** The first step: who administers. */
import { useEffect, useRef } from 'react';
import { PasswordInput } from '@/components/password-input.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SetupValues } from './rules.ts';

interface AdminStepProps {
  form: Form<SetupValues>;
  /** The link held none, or a wrong one. */
  asksToken: boolean;
}

export function AdminStep({ form, asksToken }: AdminStepProps) {
  const { t } = useTranslation();
  // Who comes back because of his token begins there.
  const tokenField = useRef<HTMLInputElement>(null);
  const isRefused = form.error('token') !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is shown
  useEffect(() => {
    if (isRefused) tokenField.current?.focus();
  }, []);
  return (
    <form noValidate onSubmit={form.onSubmit} className="grid gap-5">
      <Field
        id={form.id('username')}
        label={t('setup.username')}
        error={form.error('username')}
        help={t('setup.usernameHelp')}
      >
        <Input {...form.text('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field
        id={form.id('password')}
        label={t('setup.password')}
        error={form.error('password')}
        help={t('setup.passwordHelp')}
      >
        <PasswordInput {...form.text('password')} autoComplete="new-password" />
      </Field>
      <Field id={form.id('confirm')} label={t('setup.confirm')} error={form.error('confirm')}>
        <PasswordInput {...form.text('confirm')} autoComplete="new-password" />
      </Field>
      {asksToken && (
        <Field
          id={form.id('token')}
          label={t('setup.token')}
          error={form.error('token')}
          help={t('setup.tokenHelp')}
        >
          <Input
            ref={tokenField}
            {...form.text('token')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
      )}
      <Button type="submit" variant="primary" size="lg" className="mt-1">
        {t('setup.continue')}
      </Button>
    </form>
  );
}
