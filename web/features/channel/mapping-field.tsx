/** The model mapping: pairs of names, or the JSON text that they are. */
import { isObject, parseJson } from '@core/json.ts';
import { ArrowRight, X } from 'lucide-react';
import { useState } from 'react';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { ChannelValues } from './form.ts';

interface Pair {
  from: string;
  to: string;
}

/** The pairs that a JSON text holds; null when it holds anything else. */
export function pairsOf(text: string): Pair[] | null {
  if (text.trim() === '') return [];
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const pairs = Object.entries(value).flatMap(([from, to]) => (typeof to === 'string' ? [{ from, to }] : []));
  return pairs.length === Object.keys(value).length ? pairs : null;
}

/** Pairs → JSON text; a row with an empty side is still being written. */
export function textOf(pairs: readonly Pair[]): string {
  const whole = pairs.filter(({ from, to }) => from.trim() && to.trim());
  if (whole.length === 0) return '';
  return JSON.stringify(Object.fromEntries(whole.map(({ from, to }) => [from.trim(), to.trim()])), null, 2);
}

const NEW: Pair = { from: '', to: '' };

export function MappingField({ form }: { form: Form<ChannelValues> }) {
  const { t } = useTranslation();
  const { mapping } = form.values;
  const given = pairsOf(mapping);
  // Rows hold what is half written, which the form's text cannot. Null: the text itself is edited.
  const [rows, setRows] = useState<Pair[] | null>(given);
  const id = form.id('mapping');

  const change = (next: Pair[]) => {
    setRows(next);
    form.set('mapping', textOf(next));
  };
  const toggle = rows ? (
    <LinkButton onClick={() => setRows(null)}>{t('channel.mappingAsJson')}</LinkButton>
  ) : (
    given && <LinkButton onClick={() => setRows(given)}>{t('channel.mappingAsRows')}</LinkButton>
  );

  if (!rows) {
    return (
      <Field id={id} label={t('channel.mapping')} end={toggle} error={form.error('mapping')}>
        <Textarea
          {...form.text('mapping')}
          rows={4}
          spellCheck={false}
          placeholder={'{\n  "gpt-4o": "prod-gpt4o"\n}'}
          className="font-mono text-xs!"
        />
      </Field>
    );
  }
  return (
    <fieldset aria-labelledby={`${id}-label`} className="grid min-w-0 gap-1.5">
      <div className="flex min-h-[22px] items-baseline gap-2">
        <span id={`${id}-label`} className="text-base font-medium">
          {t('channel.mapping')}
        </span>
        <span className="ml-auto text-xs">{toggle}</span>
      </div>
      {rows.map((row, index) => (
        <MappingRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its names are what is being edited
          key={index}
          row={row}
          onChange={(next) => change(rows.map((one, at) => (at === index ? next : one)))}
          onRemove={() => change(rows.filter((_, at) => at !== index))}
        />
      ))}
      <div className="flex flex-wrap items-baseline gap-x-3.5 text-xs">
        <LinkButton onClick={() => setRows([...rows, NEW])}>{t('channel.mappingAdd')}</LinkButton>
        {rows.length === 0 && <span className="text-muted">{t('channel.mappingHelp')}</span>}
      </div>
    </fieldset>
  );
}

interface MappingRowProps {
  row: Pair;
  onChange: (row: Pair) => void;
  onRemove: () => void;
}

function MappingRow({ row, onChange, onRemove }: MappingRowProps) {
  const { t } = useTranslation();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_16px_minmax(0,1fr)_28px] items-center gap-2 max-md:grid-cols-[minmax(0,1fr)_12px_minmax(0,1fr)_44px] max-md:gap-1">
      <Input
        aria-label={t('channel.mappingFrom')}
        value={row.from}
        autoComplete="off"
        spellCheck={false}
        className="h-8! font-mono text-xs! max-md:h-11! max-md:text-[16px]!"
        onChange={(event) => onChange({ ...row, from: event.target.value })}
      />
      <ArrowRight className="text-faint max-md:size-3!" aria-hidden="true" />
      <Input
        aria-label={t('channel.mappingTo')}
        value={row.to}
        autoComplete="off"
        spellCheck={false}
        className="h-8! font-mono text-xs! max-md:h-11! max-md:text-[16px]!"
        onChange={(event) => onChange({ ...row, to: event.target.value })}
      />
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('channel.mappingRemove', { model: row.from })}
        onClick={onRemove}
      >
        <X aria-hidden="true" />
      </Button>
    </div>
  );
}
