import { QuotaField } from '@/components/quota-field.tsx';
import { Switch } from '@/components/ui/checkbox.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { ActivityValues } from './form.ts';

export function ActivityFields({ form }: { form: Form<ActivityValues> }) {
  const { t } = useTranslation();
  return (
    <>
      <Field id={form.id('name')} label={t('activity.name')} required error={form.error('name')}>
        <Input {...form.text('name')} autoComplete="off" />
      </Field>
      <Field
        id={form.id('desc')}
        label={t('activity.desc')}
        required
        error={form.error('desc')}
        help={t('activity.descHelp')}
      >
        <Textarea {...form.text('desc')} rows={4} />
      </Field>
      <QuotaField form={form} name="quota" label={t('activity.quota')} help={t('activity.quotaHelp')} />
      <div className="grid gap-5 md:grid-cols-2 md:gap-3">
        <DateField form={form} name="start" label={t('activity.start')} />
        <DateField form={form} name="end" label={t('activity.endDate')} />
      </div>
      <label className="flex min-h-6 items-center gap-2.5 max-md:min-h-11">
        <Switch
          id={form.id('status')}
          checked={form.values.status}
          onChange={(event) => form.set('status', event.target.checked)}
        />
        {t('activity.inProgress')}
      </label>
    </>
  );
}

interface DateFieldProps {
  form: Form<ActivityValues>;
  name: 'start' | 'end';
  label: string;
}

function DateField({ form, name, label }: DateFieldProps) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  return (
    <Field
      id={form.id(name)}
      label={label}
      error={form.error(name)}
      help={t('activity.dateHelp', { zone: timeZone })}
    >
      <Input
        {...form.text(name)}
        placeholder="2026-12-31 23:59:59"
        autoComplete="off"
        spellCheck={false}
        className="tabular-nums"
      />
    </Field>
  );
}
