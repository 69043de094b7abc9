import { formatAmount } from '@core/money.ts';
import type { ReactNode } from 'react';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';
import { Picks } from './ui/segmented.tsx';

/** Section 9 of the specification. */
const PRESET_DOLLARS = [1, 10, 50, 100, 500, 1_000];

interface QuotaFieldProps<V extends object> {
  form: Form<V>;
  name: Parameters<Form<V>['text']>[0];
  label: string;
  disabled?: boolean;
  help?: string;
  /** Round amounts to choose from; shown unless told otherwise. */
  presets?: boolean;
  /** At the right of the label. */
  end?: ReactNode;
}

/** Quota units with the money they are beside them, and amounts to choose from. */
export function QuotaField<V extends object>(given: QuotaFieldProps<V>) {
  const { form, name, label, disabled, help, presets = true, end } = given;
  const rules = moneyRules(useBoot());
  const props = form.text(name);
  const units =
    /^\d+$/.test(props.value) && Number.isSafeInteger(Number(props.value)) ? Number(props.value) : null;
  return (
    <Field id={props.id} label={label} error={form.error(name)} help={help} end={end}>
      <div className="flex">
        <Input
          {...props}
          inputMode="numeric"
          autoComplete="off"
          disabled={disabled}
          className="rounded-r-none text-right tabular-nums"
        />
        <span className="inline-flex min-w-28 items-center justify-end rounded-r-sm border border-l-0 border-line-strong bg-sunken px-2.5 text-sm whitespace-nowrap text-muted tabular-nums">
          {units === null ? '—' : `= ${formatAmount(units, { ...rules, inCurrency: true }).text}`}
        </span>
      </div>
      {!disabled && presets && (
        <QuotaPresets
          value={units}
          onChoose={(value) => props.onChange({ target: { value: String(value) } })}
        />
      )}
    </Field>
  );
}

interface QuotaPresetsProps {
  /** Quota units; null while what is typed is no number. */
  value: number | null;
  onChoose: (units: number) => void;
}

/** Amounts to choose from, wherever quota is typed. */
export function QuotaPresets({ value, onChoose }: QuotaPresetsProps) {
  const { t } = useTranslation();
  const boot = useBoot();
  const rules = { ...moneyRules(boot), inCurrency: true };
  return (
    <Picks
      label={t('quota.presets')}
      value={value}
      options={PRESET_DOLLARS.map((dollars) => {
        const units = dollars * boot.status.quota_per_unit;
        return { value: units, label: formatAmount(units, rules).text };
      })}
      onChange={onChoose}
    />
  );
}
