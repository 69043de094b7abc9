/** From when on figures are told, of which those that are older were left out. */
import { formatDateTime } from '@core/time-text.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function useBackTo(): (usage: { is_cut: boolean; from: number }) => string | undefined {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  return ({ is_cut: isCut, from }) =>
    isCut ? t('overview.backTo', { time: formatDateTime(from, timeZone).slice(0, 16) }) : undefined;
}
