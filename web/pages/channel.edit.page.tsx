/** Changes a channel, and tests it when asked. */
import { getRouteApi } from '@tanstack/react-router';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { ChannelFields } from '@/features/channel/channel-fields.tsx';
import { EditTitle } from '@/features/channel/edit-title.tsx';
import { OffNotice } from '@/features/channel/off-notice.tsx';
import { SaveOnly, useWithTest } from '@/features/channel/save-only.tsx';
import { TestNotice } from '@/features/channel/test-notice.tsx';
import { useEditForm } from '@/features/channel/use-edit-form.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel/edit/$id');
const list = getRouteApi('/_console/channel');

export function ChannelEditDrawer() {
  const { channel } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  // Another channel is another form; so is one whose times stand in the browser's zone, which the server did not know.
  return <EditForm key={`${channel.id} ${timeZone}`} />;
}

function EditForm() {
  const { t } = useTranslation();
  const { types, channel } = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const close = useCloseDrawer();
  const withTest = useWithTest();
  const { form, saved, outcome } = useEditForm({ channel, types, withTest, close });

  return (
    <DrawerForm
      title={<EditTitle channel={channel} />}
      form={form}
      submitLabel={t('channel.saveAndTest')}
      failed={t('channel.submitFailed')}
      saved={saved}
      onClose={close}
      actions={<SaveOnly form={form} withTest={withTest} />}
    >
      <OffNotice channel={channel} />
      <TestNotice channel={channel} outcome={outcome} />
      <ChannelFields form={form} types={types} groups={groups} channel={channel} />
    </DrawerForm>
  );
}
