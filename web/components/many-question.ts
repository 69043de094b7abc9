/** Asked before what one press does to more rows than a page shows, of which most were never seen: of all lists alike. */
import { formatNumber } from '@core/money.ts';
import { useCallback } from 'react';
import { namesText } from '@/lib/names.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useConfirm } from './confirm.tsx';

interface Many {
  names: readonly string[];
  /** They are more than a page shows, as the list tells it; else nothing is asked. */
  isBeyond: boolean;
  /** A verb. */
  action: string;
  /** What it comes to, where that is more than that nothing brings back how each was. */
  body?: string | undefined;
  danger: boolean;
}

/** Tells whether it may be done. */
export function useManyQuestion(): (many: Many) => Promise<boolean> {
  const { t } = useTranslation();
  const confirm = useConfirm();
  return useCallback(
    async ({ names, isBeyond, action, body, danger }) =>
      !isBeyond ||
      confirm({
        title: t('table.manyTitle', { action, n: formatNumber(names.length) }),
        body: `${namesText(names, t)} — ${body ?? t('table.manyBody')}`,
        action,
        danger,
      }),
    [t, confirm],
  );
}
