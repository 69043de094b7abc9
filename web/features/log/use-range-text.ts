/** The time that a list looks at, in words that hold on another day as well. */
import { formatDateTime } from '@core/time-text.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Range } from './range.ts';

export function useRangeText(): { ends: (range: Range) => string; whole: (range: Range) => string } {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const minuteOf = (at: number | undefined) =>
    at === undefined ? '…' : formatDateTime(at, timeZone).slice(0, 16);
  const ends = ({ from, to }: Range) => `${minuteOf(from)} – ${minuteOf(to)}`;
  return {
    ends,
    /** With its zone. */
    whole: (range) =>
      range.from === undefined && range.to === undefined ? t('log.range.all') : `${ends(range)} ${timeZone}`,
  };
}
