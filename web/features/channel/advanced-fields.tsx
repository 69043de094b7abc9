import { parseObject } from '@core/json.ts';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Switch } from '@/components/ui/checkbox.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import type { TextKey } from '@/lib/text-key.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FieldWarning } from './field-warning.tsx';
import { advancedFields, type ChannelValues, emptyChannel } from './form.ts';
import { useTags } from './use-tags.ts';

type TextField =
  | 'priority'
  | 'weight'
  | 'tag'
  | 'maxInput'
  | 'costRatio'
  | 'statusMapping'
  | 'override'
  | 'setting';

interface AdvancedFieldsProps {
  form: Form<ChannelValues>;
  /** Names in the stored override that are not sent. */
  ignored?: readonly string[] | undefined;
}

/** What most channels leave as it is: folded away unless something in it is set, or wrong. */
export function AdvancedFields({ form, ignored = [] }: AdvancedFieldsProps) {
  const { t } = useTranslation();
  const set = advancedFields.filter((name) => form.values[name] !== emptyChannel[name]).length;
  const isWrong = advancedFields.some((name) => form.error(name) !== undefined);
  const [wanted, setWanted] = useState(set > 0);
  const tags = useTags();
  const open = wanted || isWrong;
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        className="flex min-h-11 w-full items-center gap-2 border-t border-line text-left text-base font-semibold max-md:min-h-12"
        onClick={() => setWanted(!open)}
      >
        <Icon aria-hidden="true" />
        {t('channel.advanced')}
        {set > 0 && (
          <>
            <span aria-hidden="true" className="size-1.5 rounded-full bg-accent" />
            <span className="ml-auto text-xs font-normal text-muted">
              {t('channel.advancedSet', { count: set })}
            </span>
          </>
        )}
      </button>
      {open && (
        <div className="grid gap-5 pt-2">
          <Pair>
            <NumberField form={form} name="priority" label="channel.priority" help="channel.priorityHelp" />
            <NumberField form={form} name="weight" label="channel.weight" help="channel.weightHelp" />
          </Pair>
          <Pair>
            <Field id={form.id('tag')} label={t('channel.tag')} help={t('channel.tagHelp')}>
              <Input
                {...form.text('tag')}
                list={`${form.id('tag')}-known`}
                autoComplete="off"
                spellCheck={false}
              />
              <datalist id={`${form.id('tag')}-known`}>
                {tags.map((tag) => (
                  <option key={tag} value={tag} />
                ))}
              </datalist>
            </Field>
            <AutoBanField form={form} />
          </Pair>
          <Pair>
            <NumberField form={form} name="maxInput" label="channel.maxInput" help="channel.maxInputHelp" />
            <ExpiryField form={form} />
          </Pair>
          <NumberField form={form} name="costRatio" label="channel.costRatio" help="channel.costRatioHelp" />
          <JsonField
            form={form}
            name="statusMapping"
            label="channel.statusMapping"
            help="channel.statusMappingHelp"
            sample={'{"429": "503"}'}
          />
          <JsonField
            form={form}
            name="override"
            label="channel.override"
            help="channel.overrideHelp"
            sample={'{"temperature": 0}'}
          >
            <IgnoredNames form={form} ignored={ignored} />
          </JsonField>
          <JsonField
            form={form}
            name="setting"
            label="channel.setting"
            help="channel.settingHelp"
            sample={'{"proxy": "http://proxy.example:8080"}'}
          />
        </div>
      )}
    </div>
  );
}

/** Two short fields beside each other; on the phone one below the other. */
export const Pair = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1 max-md:gap-5">{children}</div>
);

interface TextFieldProps {
  form: Form<ChannelValues>;
  name: TextField;
  label: TextKey;
  help: TextKey;
}

function NumberField({ form, name, label, help }: TextFieldProps) {
  const { t } = useTranslation();
  return (
    <Field id={form.id(name)} label={t(label)} help={t(help)} error={form.error(name)}>
      <Input {...form.text(name)} autoComplete="off" className="tabular-nums" />
    </Field>
  );
}

function ExpiryField({ form }: { form: Form<ChannelValues> }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  return (
    <Field
      id={form.id('expiry')}
      label={t('channel.expiry')}
      help={t('channel.expiryHelp', { zone: timeZone })}
      error={form.error('expiry')}
    >
      <Input
        {...form.text('expiry')}
        placeholder="2026-12-31 23:59:59"
        autoComplete="off"
        spellCheck={false}
        className="tabular-nums"
      />
    </Field>
  );
}

/** Of the names that were stored before they were refused, those that still stand there. */
function IgnoredNames({ form, ignored = [] }: AdvancedFieldsProps) {
  const { t } = useTranslation();
  const override = parseObject(form.values.override) ?? {};
  const names = ignored.filter((name) => Object.hasOwn(override, name));
  if (names.length === 0) return null;
  const remove = () => {
    const rest = Object.entries(override).filter(([name]) => !names.includes(name));
    form.set('override', rest.length > 0 ? JSON.stringify(Object.fromEntries(rest), null, 2) : '');
  };
  return (
    <FieldWarning remedy={t('channel.overrideRemove')} onRemedy={remove}>
      {t('channel.overrideIgnored', { names: names.join(t('app.comma')) })}
    </FieldWarning>
  );
}

interface JsonFieldProps extends TextFieldProps {
  sample: string;
  /** Below the control. */
  children?: ReactNode;
}

function JsonField({ form, name, label, help, sample, children }: JsonFieldProps) {
  const { t } = useTranslation();
  return (
    <Field id={form.id(name)} label={t(label)} help={t(help)} error={form.error(name)}>
      <Textarea
        {...form.text(name)}
        rows={3}
        spellCheck={false}
        placeholder={sample}
        className="font-mono text-xs!"
      />
      {children}
    </Field>
  );
}

function AutoBanField({ form }: { form: Form<ChannelValues> }) {
  const { t } = useTranslation();
  const id = form.id('autoBan');
  return (
    <div className="grid content-start gap-1.5">
      <span id={`${id}-label`} className="min-h-[22px] text-base font-medium">
        {t('channel.autoBan')}
      </span>
      <label htmlFor={id} className="flex min-h-9 cursor-pointer items-center gap-2 text-sm max-md:min-h-11">
        <Switch
          id={id}
          aria-labelledby={`${id}-label`}
          checked={form.values.autoBan}
          onChange={(event) => form.set('autoBan', event.target.checked)}
        />
        {t('channel.autoBanYes')}
      </label>
    </div>
  );
}
