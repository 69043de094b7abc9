/** What is done to an entry of a tab where it stands: one place for the call, the message and the fresh list. */
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import type { Question } from '@/components/question.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export interface EntryActions {
  /** Saves a change at once; what fails is said, and the list shows how it stands. */
  change: (work: () => Promise<unknown>) => Promise<void>;
  /** Asks first. True when it was confirmed and done. */
  remove: (
    question: Pick<Question, 'title' | 'body'>,
    work: () => Promise<unknown>,
    done?: string,
  ) => Promise<boolean>;
}

export function useEntryActions(): EntryActions {
  const { t } = useTranslation();
  const router = useRouter();
  const confirm = useConfirm();
  return useMemo(
    (): EntryActions => ({
      async change(work) {
        try {
          await work();
          notify({ tone: 'ok', text: t('desk.updated') });
        } catch (error) {
          notify(failureNotice(error, t));
        }
        await router.invalidate({ sync: true });
      },
      async remove(question, work, done = t('desk.deleted')) {
        const isDone = await confirm({
          ...question,
          action: t('desk.delete'),
          danger: true,
          work: async () => void (await work()),
        });
        if (!isDone) return false;
        notify({ tone: 'ok', text: done });
        await router.invalidate();
        return true;
      },
    }),
    [t, router, confirm],
  );
}
