import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ChipPicker } from '@/components/chip-picker.tsx';
import { CountPicks } from '@/components/count-picks.tsx';
import { ExpiryField } from '@/components/expiry-field.tsx';
import { QuotaField } from '@/components/quota-field.tsx';
import { Switch } from '@/components/ui/checkbox.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { Select } from '@/components/ui/select.tsx';
import { useMay } from '@/lib/page-context.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { COUNT_PICKS, randomSuffix, type TokenValues } from './form.ts';
import type { Groups } from './token.ts';

interface TokenFieldsProps {
  form: Form<TokenValues>;
  groups: Groups;
  /** Models that the account may call. */
  models: readonly string[];
  /** Asks how many to make. */
  batch?: boolean;
}

export function TokenFields({ form, groups, models, batch }: TokenFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field id={form.id('name')} label={t('token.name')} required error={form.error('name')}>
        <Input {...form.text('name')} autoComplete="off" />
      </Field>
      {batch && <CountField form={form} />}
      <ExpiryField form={form} />
      <div>
        <QuotaField
          form={form}
          name="quota"
          label={t('token.quota')}
          disabled={form.values.unlimited}
          help={t('token.quotaHelp')}
        />
        <SwitchLine
          id={form.id('unlimited')}
          checked={form.values.unlimited}
          onChange={(unlimited) => form.set('unlimited', unlimited)}
        >
          {t('token.unlimitedSwitch')}
        </SwitchLine>
      </div>
      <GroupField form={form} groups={groups} />
      <MoreLimits form={form} models={models} />
    </>
  );
}

interface SwitchLineProps {
  id: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}

function SwitchLine({ id, checked, onChange, children }: SwitchLineProps) {
  return (
    <label htmlFor={id} className="mt-2 flex min-h-9 cursor-pointer items-center gap-2 text-sm">
      <Switch id={id} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {children}
    </label>
  );
}

function CountField({ form }: { form: Form<TokenValues> }) {
  const { t } = useTranslation();
  const [suffix] = useState(randomSuffix);
  const { name, count } = form.values;
  const sample = `${name.trim() || 'ci'}-${suffix}`;
  return (
    <Field
      id={form.id('count')}
      label={t('token.batch')}
      error={form.error('count')}
      help={Number(count) > 1 ? t('token.batchHelp', { sample }) : undefined}
      // Whoever makes many does so at a desk, where their keys have a place to go.
      className="max-md:hidden"
    >
      <CountPicks form={form} name="count" label={t('token.batch')} picks={COUNT_PICKS} />
    </Field>
  );
}

function GroupField({ form, groups }: { form: Form<TokenValues>; groups: Groups }) {
  const { t } = useTranslation();
  const { group } = form.values;
  const [own] = Object.keys(groups);
  const { onChange, ...props } = form.text('group');
  return (
    <Field id={form.id('group')} label={t('token.group')} help={t('token.groupHelp')}>
      <Select {...props} onChange={onChange}>
        <option value="">{t('token.groupOwn', { group: own ?? '' })}</option>
        {Object.entries(groups).map(([name, { ratio, desc }]) => (
          <option key={name} value={name}>
            {t('token.groupRatio', { name, ratio, desc })}
          </option>
        ))}
        {/* A group that was taken away meanwhile still shows, so that saving does not change it unseen. */}
        {group !== '' && !(group in groups) && <option value={group}>{group}</option>}
      </Select>
    </Field>
  );
}

/** Limits that most tokens do not have: folded away unless one of them is set. */
function MoreLimits({ form, models }: { form: Form<TokenValues>; models: readonly string[] }) {
  const { t } = useTranslation();
  const { limitModels, ips, ownKeys } = form.values;
  const decides = useMay('act');
  const set = Number(limitModels) + Number(ips.trim() !== '') + Number(decides && !ownKeys);
  const [open, setOpen] = useState(set > 0);
  const Icon = open ? ChevronDown : ChevronRight;
  const ipsProps = form.text('ips');
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        className="flex min-h-11 w-full items-center gap-2 border-t border-line text-left text-base font-semibold max-md:min-h-12"
        onClick={() => setOpen(!open)}
      >
        <Icon aria-hidden="true" />
        {t('token.advanced')}
        {set > 0 && (
          <>
            <span aria-hidden="true" className="size-1.5 rounded-full bg-accent" />
            <span className="ml-auto text-xs font-normal text-muted">
              {t('token.advancedSet', { count: set })}
            </span>
          </>
        )}
      </button>
      {open && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-2">
          <div>
            <Field id={form.id('models')} label={t('token.models')}>
              {limitModels ? (
                <ChipPicker
                  id={form.id('models')}
                  label={t('token.models')}
                  value={form.values.models}
                  options={models}
                  allowNew
                  placeholder={t('token.modelsPlaceholder')}
                  onChange={(value) => form.set('models', value)}
                />
              ) : (
                <Input id={form.id('models')} disabled value={t('token.allModels')} />
              )}
            </Field>
            <SwitchLine
              id={form.id('limitModels')}
              checked={limitModels}
              onChange={(value) => form.set('limitModels', value)}
            >
              {t('token.limitModels')}
            </SwitchLine>
          </div>
          <Field id={form.id('ips')} label={t('token.ips')} help={t('token.ipsHelp')}>
            <Textarea {...ipsProps} rows={3} spellCheck={false} className="font-mono text-xs!" />
          </Field>
          {decides && (
            <div>
              <SwitchLine
                id={form.id('ownKeys')}
                checked={ownKeys}
                onChange={(value) => form.set('ownKeys', value)}
              >
                {t('token.ownKeys')}
              </SwitchLine>
              <p className="text-xs text-muted">{t('token.ownKeysHelp')}</p>
            </div>
          )}
        </div>
      )}
    </div>
  );
}
