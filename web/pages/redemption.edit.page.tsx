/** Changes a code that was not used. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { bodyOf, type RedemptionValues, redemptionErrors, valuesOf } from '@/features/redemption/form.ts';
import { RedemptionFields } from '@/features/redemption/redemption-fields.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/redemption/edit/$id');

export function RedemptionEditDrawer() {
  const { code } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  // Another code is another form; so is one whose times stand in the browser's zone, which the server did not know.
  return <EditForm key={`${code.id} ${timeZone}`} />;
}

function EditForm() {
  const { t } = useTranslation();
  const { code } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const [initial] = useState(() => valuesOf(code, timeZone));
  const [saved, setSaved] = useState(false);
  const form = useForm<RedemptionValues>({
    initial,
    validate: (values) => redemptionErrors(values, { timeZone, now, initial }, t),
    submit: async (values) => {
      await api.send('PUT', '/api/redemption/', { body: { id: code.id, ...bodyOf(values, timeZone) } });
      setSaved(true);
      notify({ tone: 'ok', text: t('redemption.updated') });
      await router.invalidate();
      close();
    },
  });
  return (
    <DrawerForm
      title={t('redemption.editTitle')}
      sub={`${code.name} · ${code.key}`}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      <RedemptionFields form={form} />
    </DrawerForm>
  );
}
