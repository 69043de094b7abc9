import type { TFunction } from './i18n.ts';
import type { Progress } from './works.ts';

const QUARTERS = 4;

/** What is announced of something under way: each quarter, not every step; nothing where nobody knows how much there is. */
export function quarterText({ done, total }: Progress, t: TFunction): string {
  if (total === null) return '';
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  return t('job.percent', { percent: (Math.floor(share * QUARTERS) * 100) / QUARTERS });
}
