/** What a list does to its chosen rows by one call: the question, to how many it was done, and the fresh rows. */
import { useRouter } from '@tanstack/react-router';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useAction } from '@/lib/use-action.ts';
import { useMany } from '@/lib/use-many.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useConfirm } from './confirm.tsx';
import type { Question } from './question.ts';
import { Button } from './ui/button.tsx';

interface BulkActionProps {
  rows: readonly { id: number }[];
  /** Chooses nothing any more, once it is done. */
  clear: () => void;
  label: string;
  /** Of what takes something away: asked first. */
  question?: Pick<Question, 'title' | 'body'>;
  /** Answers to how many it was done. */
  work: (ids: number[]) => Promise<number>;
}

export function BulkAction({ rows, clear, label, question, work }: BulkActionProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const confirm = useConfirm();
  const many = useMany();
  const act = useAction(async () => {
    let count = 0;
    let isBegun = false;
    const run = async () => {
      isBegun = many(rows, label, (some) => work(some.map(({ id }) => id)));
      if (isBegun) return;
      try {
        count = await work(rows.map(({ id }) => id));
      } catch (error) {
        // It may have been done to some by then.
        void router.invalidate();
        throw error;
      }
    };
    try {
      if (!question) await run();
      else if (!(await confirm({ ...question, action: label, danger: true, work: run }))) return;
    } catch (error) {
      return notify(failureNotice(error, t));
    }
    if (isBegun) return clear();
    const left = rows.length - count;
    if (count > 0) notify({ tone: 'ok', text: t('table.changed', { count }) });
    if (left > 0) notify({ tone: 'bad', text: t('table.unchanged', { count: left }) });
    clear();
    await router.invalidate();
  });
  return (
    <Button variant={question ? 'danger' : 'default'} busy={act.pending} onClick={() => void act.run()}>
      {label}
    </Button>
  );
}
