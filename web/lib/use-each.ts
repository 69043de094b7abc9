/** What is done to each of several rows by a call of its own: to how many it was done, those that refused it, and the fresh rows. */
import { formatNumber } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { doneBefore, eachOf } from './each-of.ts';
import { failureNotice } from './error-text.ts';
import { notify } from './notify.ts';
import { useMany } from './use-many.ts';
import { useTranslation } from './use-translation.ts';

interface Each<Row> {
  title: string;
  work: (row: Row) => Promise<unknown>;
  changed: (count: number) => string;
  unchanged: (failed: readonly Row[]) => string;
}

/** Settles when it is done, or begun where they are more than a page has. Never rejects. */
export function useEach(): <Row>(rows: readonly Row[], each: Each<Row>) => Promise<void> {
  const { t } = useTranslation();
  const router = useRouter();
  const many = useMany();
  return useCallback(
    async (rows, { title, work, changed, unchanged }) => {
      const failed: (typeof rows)[number][] = [];
      const part = async (some: typeof rows): Promise<number> => {
        const result = await eachOf(some, work);
        failed.push(...result.failed);
        return result.done.length;
      };
      if (many(rows, title, part, () => unchanged(failed))) return;
      try {
        const count = await part(rows);
        if (count > 0) notify({ tone: 'ok', text: changed(count) });
        if (failed.length > 0) notify({ tone: 'bad', text: unchanged(failed) });
      } catch (error) {
        const soFar = { done: formatNumber(doneBefore(error)), total: formatNumber(rows.length) };
        if (doneBefore(error) > 0) notify({ tone: 'plain', text: t('table.stopped', soFar) });
        notify(failureNotice(error, t));
      }
      await router.invalidate();
    },
    [t, router, many],
  );
}
