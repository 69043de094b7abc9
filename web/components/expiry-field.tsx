import { DAY_SEC, HOUR_SEC, NEVER } from '@core/time.ts';
import { formatDateTime } from '@core/time-text.ts';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';
import { Picks } from './ui/segmented.tsx';

const AHEAD_SEC = { hour: HOUR_SEC, day: DAY_SEC, month: 30 * DAY_SEC } as const;

/** A form that asks until when something is good. */
interface Expiring {
  /** `yyyy-MM-dd HH:mm:ss` in the viewer's zone, or -1, which is shown as an empty field that says so. */
  expiry: string;
}

/** Until when: typed, or one of the usual spans. */
export function ExpiryField<V extends Expiring>({ form }: { form: Form<V> }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const choices = [
    { value: String(NEVER), label: t('expiry.never') },
    ...(['hour', 'day', 'month'] as const).map((span) => ({
      value: formatDateTime(now + AHEAD_SEC[span], timeZone),
      label: t(`expiry.${span}`),
    })),
  ];
  const props = form.text('expiry' as Parameters<typeof form.text>[0]);
  const isNever = props.value === String(NEVER);
  return (
    <Field
      id={props.id}
      label={t('expiry.label')}
      error={form.error('expiry')}
      help={t('expiry.help', { zone: timeZone })}
    >
      <div className="flex flex-wrap items-center gap-2">
        <Input
          {...props}
          value={isNever ? '' : props.value}
          placeholder={isNever ? t('expiry.never') : '2026-12-31 23:59:59'}
          autoComplete="off"
          spellCheck={false}
          className="w-52 tabular-nums max-md:w-full"
        />
        <Picks
          label={t('expiry.label')}
          value={props.value}
          options={choices}
          onChange={(value) => props.onChange({ target: { value } })}
        />
      </div>
    </Field>
  );
}
