/** The form of activities, however it is opened: saved, it says so, shows the list anew and closes. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTimeRules } from '@/lib/clock.ts';
import { notify } from '@/lib/notify.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type ActivityValues, activityErrors, bodyOf } from './form.ts';

export function useActivityForm(
  initial: ActivityValues,
  save: (body: ReturnType<typeof bodyOf>) => Promise<unknown>,
  done: string,
) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const router = useRouter();
  const close = useCloseDrawer();
  const [saved, setSaved] = useState(false);
  const form = useForm<ActivityValues>({
    initial,
    validate: (values) => activityErrors(values, timeZone, t),
    submit: async (values) => {
      await save(bodyOf(values, timeZone));
      setSaved(true);
      notify({ tone: 'ok', text: done });
      await router.invalidate();
      close();
    },
  });
  return { form, saved, close };
}
