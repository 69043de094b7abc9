/** What a list does to its chosen rows by one call: the question, to how many it was done, and the fresh rows. */
import { useRouter } from '@tanstack/react-router';
import { failureNotice } from '@/lib/error-text.ts';
import { namesText } from '@/lib/names.ts';
import { notify } from '@/lib/notify.ts';
import { useAction } from '@/lib/use-action.ts';
import { useMany } from '@/lib/use-many.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useConfirm } from './confirm.tsx';
import { useManyQuestion } from './many-question.ts';
import { Button } from './ui/button.tsx';

interface BulkActionProps<Row extends { id: number }> {
  rows: readonly Row[];
  /** Chooses nothing any more, once it is done. */
  clear: () => void;
  /** They are more than a page shows: asked first in any case. */
  isBeyond: boolean;
  nameOf: (row: Row) => string;
  label: string;
  /** It switches something off that somebody may be using. */
  danger?: boolean;
  /** Of what takes something away: asked first, however few they are. */
  question?: { title: string; body: string };
  /** Answers to how many it was done. */
  work: (ids: number[]) => Promise<number>;
}

export function BulkAction<Row extends { id: number }>(props: BulkActionProps<Row>) {
  const { rows, clear, isBeyond, nameOf, label, danger = false, question, work } = props;
  const { t } = useTranslation();
  const router = useRouter();
  const confirm = useConfirm();
  const mayDo = useManyQuestion();
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
      const names = rows.map(nameOf);
      if (question) {
        const body = `${namesText(names, t)} — ${question.body}`;
        if (!(await confirm({ ...question, body, action: label, danger: true, work: run }))) return;
      } else {
        if (!(await mayDo({ names, isBeyond, action: label, danger }))) return;
        await run();
      }
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
