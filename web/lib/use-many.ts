/**
 * What is done to more rows than a page shows: so many at a time, one call after another. How far it is stands in the top bar
 * with the way to give it up, whatever page is looked at meanwhile.
 */
import { formatNumber } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { notify } from './notify.ts';
import { useTranslation } from './use-translation.ts';
import { beginWork } from './works.ts';

/** As many as a page has at most: what is chosen on one is done at once. */
const AT_ONCE = 100;

/** Done to some of them, answers to how many. Rejects with ApiError. */
type Part<Row> = (some: Row[]) => Promise<number>;

let begun = 0;

/** Begins it and answers true; false where they are so few that whoever asks does it himself, to all of them at once. */
export function useMany(): <Row>(rows: readonly Row[], title: string, part: Part<Row>) => boolean {
  const { t } = useTranslation();
  const router = useRouter();
  return useCallback(
    <Row>(rows: readonly Row[], title: string, part: Part<Row>) => {
      if (rows.length <= AT_ONCE) return false;
      begun += 1;
      void beginWork({ kind: `many-${begun}`, title, t }, async (report, signal) => {
        let at = 0;
        let changed = 0;
        try {
          for (; at < rows.length && !signal.aborted; at += AT_ONCE) {
            report({ done: at, total: rows.length });
            changed += await part(rows.slice(at, at + AT_ONCE));
          }
        } catch (error) {
          if (changed > 0) notify({ tone: 'ok', text: t('table.changed', { count: changed }) });
          throw error;
        }
        const left = Math.min(at, rows.length) - changed;
        if (left > 0) notify({ tone: 'bad', text: t('table.unchanged', { count: left }) });
        if (!signal.aborted) return t('table.changed', { count: changed });
        return t('table.stopped', { done: formatNumber(changed), total: formatNumber(rows.length) });
      }).then(() => router.invalidate());
      return true;
    },
    [t, router],
  );
}
