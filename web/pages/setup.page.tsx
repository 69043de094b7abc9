/** The first run in two steps: who administers, and what the site is for. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { AdminStep } from '@/features/setup/admin-step.tsx';
import { Health } from '@/features/setup/health.tsx';
import { ModeStep } from '@/features/setup/mode-step.tsx';
import { type SetupValues, setupErrors } from '@/features/setup/rules.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/setup');

/** What the first account is called unless its owner wants another name. */
const USUAL_NAME = 'root';

export function SetupPage() {
  const { t } = useTranslation();
  const [step, setStep] = useState<1 | 2>(1);
  const { token = '' } = route.useSearch();
  const [refused, setRefused] = useState<Refused | null>(null);
  const form = useForm<SetupValues>({
    initial: { username: USUAL_NAME, password: '', confirm: '', token },
    validate: (values) => ({
      ...setupErrors(values, t),
      ...(values.token === refused?.token && { token: refused.reason }),
    }),
    submit: async () => setStep(2),
  });
  return (
    <GuestColumn title={t('setup.title')}>
      <p className="-mt-4 mb-6 text-sm text-muted" aria-live="polite">
        {t('setup.step', { step })} · {t(step === 1 ? 'setup.admin' : 'setup.mode')}
      </p>
      {step === 1 ? (
        <AdminStep form={form} asksToken={token === '' || refused !== null} />
      ) : (
        <ModeStep
          admin={form.values}
          onBack={() => setStep(1)}
          onRefused={(reason) => {
            setRefused({ token: form.values.token, reason });
            setStep(1);
          }}
        />
      )}
      <Health />
    </GuestColumn>
  );
}

/** A token that was none, and the server's words for it. */
interface Refused {
  token: string;
  reason: string;
}
