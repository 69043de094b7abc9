/** Makes one token or many, then shows what was made. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { CreatedDrawer } from '@/features/token/created-drawer.tsx';
import { bodyOf, emptyToken, type TokenValues, tokenErrors } from '@/features/token/form.ts';
import { markNew } from '@/features/token/recent.ts';
import type { Token } from '@/features/token/token.ts';
import { TokenFields } from '@/features/token/token-fields.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const BatchDrawer = late(() =>
  import('@/features/token/batch-drawer.tsx').then((module) => module.BatchDrawer),
);

const route = getRouteApi('/_console/token/add');
const list = getRouteApi('/_console/token');

type Step = { name: 'form' } | { name: 'created'; token: Token } | { name: 'batch'; values: TokenValues };

export function TokenAddDrawer() {
  const { t } = useTranslation();
  const { models, sold } = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const api = useApi();
  const close = useCloseDrawer();
  const [step, setStep] = useState<Step>({ name: 'form' });

  const form = useForm<TokenValues>({
    initial: emptyToken,
    validate: (values) => tokenErrors(values, { timeZone, now, initial: emptyToken }, t),
    submit: async (values) => {
      if (Number(values.count) > 1) {
        setStep({ name: 'batch', values });
        return;
      }
      const token = await api.send('POST', '/api/token/', { body: bodyOf(values, timeZone) });
      markNew(token.id);
      setStep({ name: 'created', token });
    },
  });

  if (step.name === 'created') return <CreatedDrawer token={step.token} models={sold} onClose={close} />;
  if (step.name === 'batch') return <BatchDrawer values={step.values} onClose={close} />;
  return (
    <DrawerForm title={t('token.newTitle')} form={form} submitLabel={t('token.create')} onClose={close}>
      <TokenFields form={form} groups={groups} models={models} batch />
    </DrawerForm>
  );
}
