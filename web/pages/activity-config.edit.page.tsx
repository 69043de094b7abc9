/** Changes an activity. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { ActivityFields } from '@/features/activity/activity-fields.tsx';
import { valuesOf } from '@/features/activity/form.ts';
import { useActivityForm } from '@/features/activity/use-activity-form.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/activity-config/edit/$id');

export function ActivityEditDrawer() {
  const { activity } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  // Another activity is another form; so is one whose times stand in the browser's zone, which the server did not know.
  return <EditForm key={`${activity.id} ${timeZone}`} />;
}

function EditForm() {
  const { t } = useTranslation();
  const { activity } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  const api = useApi();
  const [initial] = useState(() => valuesOf(activity, timeZone));
  const params = { id: String(activity.id) };
  const { form, saved, close } = useActivityForm(
    initial,
    (body) => api.send('PUT', '/api/activity/:id', { params, body }),
    t('activity.updated'),
  );
  return (
    <DrawerForm
      title={t('activity.editTitle')}
      sub={activity.name}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      <ActivityFields form={form} />
    </DrawerForm>
  );
}
