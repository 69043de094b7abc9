/** The form of activities: its values, its rules, and the body that it sends. */
import { lengthOf } from '@core/account-rules.ts';
import { formatDateTime, parseDateTime } from '@core/time-text.ts';
import { ACTIVITY_DESC_MAX, ACTIVITY_NAME_MAX, NO_LIMIT } from '@modules/activity/facts.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { FieldErrors } from '@/lib/use-form.ts';
import { isWhole } from '@/lib/whole.ts';
import type { Activity } from './activity.ts';

export interface ActivityValues {
  name: string;
  desc: string;
  /** Quota units, as typed. */
  quota: string;
  /** `yyyy-MM-dd HH:mm:ss` in the viewer's zone; empty for no limit. */
  start: string;
  end: string;
  /** In progress. */
  status: boolean;
}

export const emptyActivity: ActivityValues = {
  name: '',
  desc: '',
  quota: '',
  start: '',
  end: '',
  status: true,
};

export const valuesOf = (activity: Activity, timeZone: string): ActivityValues => ({
  name: activity.name,
  desc: activity.desc,
  quota: String(activity.quota),
  start: dateText(activity.start_date, timeZone),
  end: dateText(activity.end_date, timeZone),
  status: activity.status,
});

const dateText = (seconds: number, timeZone: string): string =>
  seconds === NO_LIMIT ? '' : formatDateTime(seconds, timeZone);

/** Unix seconds, 0 for no limit; null for a text that is no such time. */
const readDate = (text: string, timeZone: string): number | null =>
  text.trim() === '' ? NO_LIMIT : parseDateTime(text, timeZone);

const fits = (text: string, max: number): boolean => text.trim() !== '' && lengthOf(text.trim()) <= max;

export function activityErrors(
  { name, desc, quota, start, end }: ActivityValues,
  timeZone: string,
  t: TFunction,
): FieldErrors<ActivityValues> {
  const [from, to] = [readDate(start, timeZone), readDate(end, timeZone)];
  const isTurned = from !== null && to !== null && to !== NO_LIMIT && to < from;
  return {
    name: fits(name, ACTIVITY_NAME_MAX) ? undefined : t('activity.nameBad'),
    desc: fits(desc, ACTIVITY_DESC_MAX) ? undefined : t('activity.descBad'),
    quota: isWhole(quota) ? undefined : t('activity.quotaBad'),
    start: from === null ? t('activity.dateBad') : undefined,
    end: to === null ? t('activity.dateBad') : isTurned ? t('activity.datesBad') : undefined,
  };
}

export const bodyOf = ({ name, desc, quota, start, end, status }: ActivityValues, timeZone: string) => ({
  name: name.trim(),
  desc: desc.trim(),
  quota: Number(quota),
  start_date: readDate(start, timeZone) ?? NO_LIMIT,
  end_date: readDate(end, timeZone) ?? NO_LIMIT,
  status,
});
