/** Adds a channel, and tests it when asked. */
import { getRouteApi } from '@tanstack/react-router';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { ChannelFields } from '@/features/channel/channel-fields.tsx';
import { SaveOnly, useWithTest } from '@/features/channel/save-only.tsx';
import { useAddForm } from '@/features/channel/use-add-form.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel/add');
const list = getRouteApi('/_console/channel');

export function ChannelAddDrawer() {
  const { t } = useTranslation();
  const { types } = route.useLoaderData();
  const { kind } = route.useSearch();
  const { groups } = list.useLoaderData();
  const close = useCloseDrawer();
  const withTest = useWithTest();
  const { form, saved } = useAddForm({ kind, types, withTest, close });

  return (
    <DrawerForm
      title={t('channel.newTitle')}
      form={form}
      submitLabel={t('channel.saveAndTest')}
      failed={t('channel.submitFailed')}
      saved={saved}
      onClose={close}
      actions={<SaveOnly form={form} withTest={withTest} />}
    >
      <ChannelFields form={form} types={types} groups={groups} />
    </DrawerForm>
  );
}
