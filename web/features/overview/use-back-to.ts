/** From when on figures are told, of which those that are older were left out. */
import { formatDateTime } from '@core/time-text.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function useBackTo(): (usage: { is_cut: boolean; from: number }) => string | undefined {
  const { t } = useTranslation();
  const { timeZone } = useBoot().preferences;
  return ({ is_cut: isCut, from }) =>
    isCut ? t('overview.backTo', { time: formatDateTime(from, timeZone).slice(0, 16) }) : undefined;
}
