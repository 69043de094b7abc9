/** What is done by one press: done, said, and shown as it is now. */
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** Answers whether it went well; a failure is told and not thrown. */
type Tell = (work: () => Promise<unknown>, done: string) => Promise<boolean>;

export function useTold(): Tell {
  const { t } = useTranslation();
  const router = useRouter();
  return useCallback(
    async (work, done) => {
      try {
        await work();
      } catch (error) {
        notify(failureNotice(error, t));
        return false;
      }
      notify({ tone: 'ok', text: done });
      await router.invalidate();
      return true;
    },
    [t, router],
  );
}

/** After a dialog's form was saved: it closes, it is said, and the page shows what is now. */
export function useSaved(onClose: () => void): (done: string) => Promise<void> {
  const router = useRouter();
  return async (done) => {
    onClose();
    notify({ tone: 'ok', text: done });
    await router.invalidate();
  };
}
