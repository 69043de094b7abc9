/** Makes codes, then shows them. */
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import {
  bodyOf,
  emptyRedemption,
  type RedemptionValues,
  redemptionErrors,
} from '@/features/redemption/form.ts';
import { MadeDrawer } from '@/features/redemption/made-drawer.tsx';
import { RedemptionFields } from '@/features/redemption/redemption-fields.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function RedemptionAddDrawer() {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const api = useApi();
  const close = useCloseDrawer();
  const [made, setMade] = useState<readonly string[] | null>(null);
  const form = useForm<RedemptionValues>({
    initial: emptyRedemption,
    validate: (values) => redemptionErrors(values, { timeZone, now, initial: emptyRedemption }, t),
    submit: async (values) => {
      const body = { ...bodyOf(values, timeZone), count: Number(values.count) };
      setMade(await api.send('POST', '/api/redemption/', { body }));
    },
  });
  if (made) return <MadeDrawer name={form.values.name.trim()} codes={made} onClose={close} />;
  return (
    <DrawerForm
      title={t('redemption.newTitle')}
      form={form}
      submitLabel={t('redemption.create')}
      onClose={close}
    >
      <RedemptionFields form={form} batch />
    </DrawerForm>
  );
}
