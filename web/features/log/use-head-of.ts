/** The head of a row's drawer, also before the drawer is there. */
import { formatDateTime } from '@core/time-text.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isLogType, type LogRow } from './log-row.ts';

export function useHeadOf() {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  return ({ type, model_name, created_at }: LogRow) => {
    const text = isLogType(type) ? t(`log.type.${type}`) : '';
    return {
      title: model_name || text,
      sub: `${text} · ${formatDateTime(created_at, timeZone)} ${timeZone}`,
    };
  };
}
