/** A switch that acts at once and goes back when the server says no. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function useSwitch(
  stored: boolean,
  save: (next: boolean) => Promise<unknown>,
): [shown: boolean, change: (next: boolean) => Promise<void>] {
  const { t } = useTranslation();
  const router = useRouter();
  // Null: as it is stored.
  const [wish, setWish] = useState<boolean | null>(null);
  const change = async (next: boolean) => {
    setWish(next);
    try {
      await save(next);
      notify({ tone: 'ok', text: t('user.updated') });
      // It is shown as wished until the page has come anew.
      await router.invalidate({ sync: true });
    } catch (error) {
      notify(failureNotice(error, t));
    }
    setWish(null);
  };
  return [wish ?? stored, change];
}
