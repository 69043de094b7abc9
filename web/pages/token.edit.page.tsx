/** Changes a token. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { bodyOf, type TokenValues, tokenErrors, valuesOf } from '@/features/token/form.ts';
import { TokenFields } from '@/features/token/token-fields.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token/edit/$id');
const list = getRouteApi('/_console/token');

export function TokenEditDrawer() {
  const { token } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  // Another token is another form; so is one whose times stand in the browser's zone, which the server did not know.
  return <EditForm key={`${token.id} ${timeZone}`} />;
}

function EditForm() {
  const { t } = useTranslation();
  const { token, models } = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const [initial] = useState(() => valuesOf(token, timeZone));
  const [saved, setSaved] = useState(false);

  const form = useForm<TokenValues>({
    initial,
    validate: (values) => tokenErrors(values, { timeZone, now, initial }, t),
    submit: async (values) => {
      await api.send('PUT', '/api/token/', {
        query: { mask: 'true' },
        body: { id: token.id, ...bodyOf(values, timeZone, initial) },
      });
      setSaved(true);
      notify({ tone: 'ok', text: t('token.updated') });
      await router.invalidate();
      close();
    },
  });

  return (
    <DrawerForm
      title={t('token.editTitle')}
      sub={`${token.name} · sk-${token.key}`}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      <TokenFields form={form} groups={groups} models={models} />
    </DrawerForm>
  );
}
