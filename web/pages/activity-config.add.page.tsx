/** Announces an activity. */
import { DrawerForm } from '@/components/drawer-form.tsx';
import { ActivityFields } from '@/features/activity/activity-fields.tsx';
import { emptyActivity } from '@/features/activity/form.ts';
import { useActivityForm } from '@/features/activity/use-activity-form.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function ActivityAddDrawer() {
  const { t } = useTranslation();
  const api = useApi();
  const { form, saved, close } = useActivityForm(
    emptyActivity,
    (body) => api.send('POST', '/api/activity', { body }),
    t('activity.made'),
  );
  return (
    <DrawerForm
      title={t('activity.newTitle')}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      <ActivityFields form={form} />
    </DrawerForm>
  );
}
