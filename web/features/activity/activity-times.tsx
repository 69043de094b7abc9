import { NO_LIMIT } from '@modules/activity/facts.ts';
import { Time } from '@/components/time.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Activity } from './activity.ts';

/** From when to when; one that has no end is said to go on. */
export function ActivityTimes({ activity }: { activity: Pick<Activity, 'start_date' | 'end_date'> }) {
  const { t } = useTranslation();
  const { start_date, end_date } = activity;
  if (start_date === NO_LIMIT && end_date === NO_LIMIT) return <>{t('activity.noLimit')}</>;
  return (
    <span className="whitespace-nowrap">
      {start_date === NO_LIMIT ? `${t('activity.until')} ` : <Time at={start_date} />}
      {start_date !== NO_LIMIT && end_date !== NO_LIMIT && ' – '}
      {end_date === NO_LIMIT ? ` ${t('activity.onwards')}` : <Time at={end_date} />}
    </span>
  );
}
