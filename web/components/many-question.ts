/** Asked before what one press does to more rows than the page shows, of which most were never seen. */
import { formatNumber } from '@core/money.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { namesText } from '@/lib/names.ts';
import type { Question } from './question.ts';

interface Many {
  names: readonly string[];
  /** A verb. */
  action: string;
  /** What it comes to, where that is more than that nothing brings back how each was. */
  body?: string | undefined;
  danger: boolean;
}

export const manyQuestion = ({ names, action, body, danger }: Many, t: TFunction): Question => ({
  title: t('table.manyTitle', { action, n: formatNumber(names.length) }),
  body: `${namesText(names, t)} — ${body ?? t('table.manyBody')}`,
  action,
  danger,
});
