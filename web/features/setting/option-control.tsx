/** The control of one option, chosen by its kind. */
import { formatAmount } from '@core/money.ts';
import { PasswordInput } from '@/components/password-input.tsx';
import { LinkButton } from '@/components/ui/button.tsx';
import { Switch } from '@/components/ui/checkbox.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { Select } from '@/components/ui/select.tsx';
import { cn } from '@/lib/cn.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isJson, type OptionField, valueText } from './field.ts';
import { controlId } from './use-settings.ts';

/** Longer texts get several lines. */
const LINE_MAX = 2_000;

const isLong = ({ kind, max = 0 }: OptionField): boolean =>
  kind === 'json' || kind === 'lines' || (kind === 'text' && max > LINE_MAX);

interface OptionControlProps {
  field: OptionField;
  text: string;
  error?: string;
  onText: (text: string) => void;
  onLeave: () => void;
}

export function OptionControl({ field, text, error, onText, onLeave }: OptionControlProps) {
  const { t } = useTranslation();
  const id = controlId(field);
  const common = {
    id,
    value: text,
    autoComplete: 'off',
    spellCheck: false,
    'aria-invalid': error ? (true as const) : undefined,
    'aria-describedby': `${id}-error ${id}-help`,
    onChange: (event: { target: { value: string } }) => onText(event.target.value),
    onBlur: onLeave,
  };
  if (field.kind === 'boolean') {
    return (
      <span className="flex h-8 items-center gap-2 text-sm max-md:h-11">
        <Switch
          id={id}
          checked={text === 'true'}
          aria-describedby={`${id}-error ${id}-help`}
          onChange={(event) => onText(String(event.target.checked))}
        />
        <span aria-hidden="true">{valueText(field, text, t)}</span>
      </span>
    );
  }
  if (field.kind === 'choice') {
    return (
      <Select {...common}>
        {field.choices?.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    );
  }
  if (field.secret) {
    return <PasswordInput {...common} placeholder={field.is_set ? t('setting.secretKept') : ''} />;
  }
  if (isLong(field)) {
    return <LongText field={field} text={text} onText={onText} control={common} />;
  }
  if (field.kind === 'text') return <Input {...common} />;
  const number = <Input {...common} inputMode="decimal" className="text-right tabular-nums" />;
  return field.unit === 'quota' ? <WithMoney text={text}>{number}</WithMoney> : number;
}

interface LongTextProps extends Pick<OptionControlProps, 'field' | 'text' | 'onText'> {
  control: object;
}

function LongText({ field, text, onText, control }: LongTextProps) {
  const { t } = useTranslation();
  const formatted = isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const lines = Math.min(Math.max(text.split('\n').length, 3), field.kind === 'json' ? 14 : 8);
  return (
    <>
      <Textarea
        {...control}
        rows={lines}
        className={cn('text-xs leading-5', field.kind !== 'text' && 'font-mono')}
      />
      {field.kind === 'json' && (
        <LinkButton
          className="justify-self-start text-xs max-md:leading-11"
          disabled={formatted === text}
          onClick={() => onText(formatted)}
        >
          {t('setting.format')}
        </LinkButton>
      )}
    </>
  );
}

function WithMoney({ text, children }: { text: string; children: React.ReactNode }) {
  const rules = moneyRules(useBoot());
  const units = /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
  const amount = units === null ? null : formatAmount(units, { ...rules, inCurrency: true });
  return (
    <span className="flex">
      <span className="min-w-0 flex-1 [&>input]:rounded-r-none">{children}</span>
      <span className="inline-flex min-w-24 items-center justify-end rounded-r-sm border border-l-0 border-line-strong bg-sunken px-2.5 text-sm whitespace-nowrap text-muted tabular-nums">
        {amount === null ? '—' : `= ${amount.text}`}
      </span>
    </span>
  );
}
