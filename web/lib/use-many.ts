/**
 * What is done to more rows than a page shows: so many at a time, one call after another. How far it is stands in the top bar
 * with the way to give it up, whatever page is looked at meanwhile.
 */
import { formatNumber } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ApiError } from './api-error.ts';
import { doneBefore } from './each-of.ts';
import { told } from './error-text.ts';
import type { TFunction } from './i18n.ts';
import { notify } from './notify.ts';
import { useTranslation } from './use-translation.ts';
import { beginWork, type Task } from './works.ts';

/** As many as a page has at most: what is chosen on one is done at once. */
const AT_ONCE = 100;

/** Done to some of them, answers to how many. Rejects with ApiError, whose data may be to how many until then. */
type Part<Row> = (some: Row[]) => Promise<number>;

/** What is said at the end of those that were left, where more is known of them than their number. */
type Unchanged = () => string;

let begun = 0;

/** Begins it and answers true; false where they are so few that whoever asks does it himself, to all of them at once. */
export function useMany(): <Row>(
  rows: readonly Row[],
  title: string,
  part: Part<Row>,
  unchanged?: Unchanged,
) => boolean {
  const { t } = useTranslation();
  const router = useRouter();
  return useCallback(
    (rows, title, part, unchanged) => {
      if (rows.length <= AT_ONCE) return false;
      begun += 1;
      void beginWork({ kind: `many-${begun}`, title, t }, inParts(rows, part, { t, unchanged })).then(() =>
        router.invalidate(),
      );
      return true;
    },
    [t, router],
  );
}

export function inParts<Row>(
  rows: readonly Row[],
  part: Part<Row>,
  { t, unchanged }: { t: TFunction; unchanged?: Unchanged | undefined },
): Task {
  return async (report, signal) => {
    let at = 0;
    let changed = 0;
    const soFar = () => ({ done: formatNumber(changed), total: formatNumber(rows.length) });
    try {
      for (; at < rows.length && !signal.aborted; at += AT_ONCE) {
        report({ done: at, total: rows.length });
        changed += await part(rows.slice(at, at + AT_ONCE));
      }
    } catch (error) {
      changed += doneBefore(error);
      // The server counts within its part; who chose them all asks of all.
      if (error instanceof ApiError && error.code === 'BATCH_STOPPED')
        throw told(error, t('table.rightsLost', soFar()));
      if (changed > 0) notify({ tone: 'plain', text: t('table.stopped', soFar()) });
      throw error;
    }
    const left = Math.min(at, rows.length) - changed;
    if (left > 0) notify({ tone: 'bad', text: unchanged?.() ?? t('table.unchanged', { count: left }) });
    return signal.aborted ? t('table.stopped', soFar()) : t('table.changed', { count: changed });
  };
}
