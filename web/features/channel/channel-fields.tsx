/** The channel form, drawn from what its type says of itself. */
import { cleanAddress } from '@modules/channel/facts.ts';
import { useEffect, useState } from 'react';
import { ChipPicker } from '@/components/chip-picker.tsx';
import { PasswordInput } from '@/components/password-input.tsx';
import { LinkButton } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import type { TFunction } from '@/lib/i18n.ts';
import { useBoot } from '@/lib/page-context.ts';
import { keep } from '@/lib/storage.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { AdvancedFields, Pair } from './advanced-fields.tsx';
import type { Channel, ChannelType } from './channel.ts';
import { ChannelKeys } from './channel-keys.tsx';
import { FieldWarning } from './field-warning.tsx';
import { type ChannelValues, keyCount, warnsOfV1, withoutV1, withType } from './form.ts';
import { MappingField } from './mapping-field.tsx';
import { ModelsField } from './models-field.tsx';
import { PrivateField } from './private-field.tsx';
import { typeFamilies } from './type-families.ts';

interface ChannelFieldsProps {
  form: Form<ChannelValues>;
  types: readonly ChannelType[];
  /** Names of all groups. */
  groups: readonly string[];
  /** The saved channel; undefined for a new one. */
  channel?: Channel;
}

export const typeOf = (types: readonly ChannelType[], { type }: ChannelValues): ChannelType | undefined =>
  types.find((one) => String(one.type) === type);

export function ChannelFields({ form, types, groups, channel }: ChannelFieldsProps) {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const type = typeOf(types, form.values);
  const { notice, organization } = type?.form ?? {};
  useEffect(() => keep.channelModels(types), [types]);
  return (
    <>
      <Pair>
        <TypeField form={form} types={types} />
        <Field id={form.id('name')} label={t('channel.name')} required error={form.error('name')}>
          <Input {...form.text('name')} autoComplete="off" />
        </Field>
      </Pair>
      {notice && <Notice>{notice[locale]}</Notice>}
      <KeyField form={form} type={type} channel={channel} />
      {type?.form.baseUrl !== 'hidden' && <AddressField form={form} type={type} />}
      {channel && <PrivateField form={form} isAllowed={channel.private_allowed} />}
      <OtherField form={form} type={type} />
      {organization && (
        <Field id={form.id('organization')} label={t('channel.organization')}>
          <Input {...form.text('organization')} autoComplete="off" spellCheck={false} placeholder="org-…" />
        </Field>
      )}
      <ModelsField form={form} type={type} channelId={channel?.id} />
      <Pair>
        <Field id={form.id('groups')} label={t('channel.groups')}>
          {/* Groups are short: a few fit on the line, with room to type behind them. */}
          <div className="[&_input]:min-w-10">
            <ChipPicker
              id={form.id('groups')}
              label={t('channel.groups')}
              value={form.values.groups}
              options={groups}
              placeholder={form.values.groups.length === 0 ? t('channel.groupsPlaceholder') : undefined}
              onChange={(value) => form.set('groups', value)}
            />
          </div>
        </Field>
        <TestModelField form={form} />
      </Pair>
      <MappingField form={form} />
      <AdvancedFields form={form} ignored={channel?.override_ignored} />
    </>
  );
}

interface FieldProps {
  form: Form<ChannelValues>;
  type: ChannelType | undefined;
}

function TypeField({ form, types }: { form: Form<ChannelValues>; types: readonly ChannelType[] }) {
  const { t } = useTranslation();
  const { type } = form.values;
  const { onChange: _set, ...props } = form.text('type');
  const change = (next: string) => {
    const { other, name } = withType(form.values, next, types);
    form.set('type', next);
    form.set('other', other);
    form.set('name', name);
  };
  return (
    <Field id={form.id('type')} label={t('channel.type')}>
      <Select {...props} onChange={(event) => change(event.target.value)}>
        {typeFamilies(types).map(({ family, types }) => (
          <optgroup key={family} label={t(`channel.family.${family}`)}>
            {types.map((one) => (
              <option key={one.type} value={one.type}>
                {one.label}
              </option>
            ))}
          </optgroup>
        ))}
        {!types.some((one) => String(one.type) === type) && (
          <option value={type}>{t('channel.unknownType')}</option>
        )}
      </Select>
    </Field>
  );
}

function KeyField({ form, type, channel }: FieldProps & { channel?: Channel }) {
  const { t } = useTranslation();
  const [wantsSeveral, setSeveral] = useState(false);
  const isDocument = type?.form.keyMultiline === true;
  const isTall = isDocument || wantsSeveral;
  const count = keyCount(form.values.key, isDocument);
  const props = {
    ...form.text('key'),
    placeholder: channel ? channel.key_hint : type?.form.keyHint,
    autoComplete: 'off',
    spellCheck: false,
  };
  return (
    <>
      <Field
        id={form.id('key')}
        label={t('channel.key')}
        required={!channel}
        error={form.error('key')}
        help={keyHelp(channel, isDocument ? 'document' : wantsSeveral ? 'lines' : 'one', t)}
        end={!isTall && <LinkButton onClick={() => setSeveral(true)}>{t('channel.severalKeys')}</LinkButton>}
      >
        {isTall ? (
          <Textarea {...props} rows={5} className="font-mono text-xs!" />
        ) : (
          <PasswordInput {...props} autoComplete="new-password" className="font-mono text-sm!" />
        )}
      </Field>
      {channel && channel.key_count > 0 && <ChannelKeys channel={channel} />}
      {isTall && count > 1 ? (
        <KeyMode form={form} count={count} isNew={!channel} />
      ) : (
        channel && channel.key_count > 1 && <KeyMode form={form} count={channel.key_count} isNew={false} />
      )}
    </>
  );
}

/** What becomes of the keys that are there, and how several are written. */
function keyHelp(
  channel: Channel | undefined,
  how: 'one' | 'lines' | 'document',
  t: TFunction,
): string | undefined {
  const { key_count: keys = 0, keys_disabled: resting = 0 } = channel ?? {};
  const parts = [
    channel && (keys > 1 ? t('channel.keyKeepMany', { count: keys }) : t('channel.keyKeep')),
    resting > 0 && t('channel.keysResting', { count: resting }),
    how === 'lines' && t('channel.keyALine'),
    how === 'document' && t('channel.keyDocument'),
  ].filter((part) => typeof part === 'string');
  return parts.reduce<string | undefined>(
    (first, then) => (first === undefined ? then : t('app.sentences', { first, then })),
    undefined,
  );
}

/** What becomes of several keys: channels of their own, or one channel that asks any of them or each in its turn. */
function KeyMode({ form, count, isNew }: { form: Form<ChannelValues>; count: number; isNew: boolean }) {
  const { t } = useTranslation();
  const { keyMode } = form.values;
  const isOne = keyMode !== 'split';
  return (
    <div className="-mt-2 grid gap-2">
      {isNew && (
        <Segmented
          label={t('channel.keyMode')}
          value={isOne ? 'one' : 'split'}
          options={[
            { value: 'split', label: t('channel.keyModeSplit', { count }) },
            { value: 'one', label: t('channel.keyModeOne', { count }) },
          ]}
          onChange={(mode) => form.set('keyMode', mode === 'split' ? 'split' : 'random')}
          className="justify-self-start max-md:w-full"
        />
      )}
      {isOne && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Segmented
            label={t('channel.keyOrder')}
            value={keyMode}
            options={[
              { value: 'random', label: t('channel.keyRandom') },
              { value: 'polling', label: t('channel.keyPolling') },
            ]}
            onChange={(mode) => form.set('keyMode', mode)}
            className="max-md:w-full"
          />
          <span className="text-xs text-muted">
            {t(keyMode === 'polling' ? 'channel.keyPollingHelp' : 'channel.keyRandomHelp')}
          </span>
        </div>
      )}
    </div>
  );
}

function AddressField({ form, type }: FieldProps) {
  const { t } = useTranslation();
  const { onBlur, ...props } = form.text('baseUrl');
  const { baseUrl } = form.values;
  const own = type?.base_url ?? '';
  return (
    <Field
      id={form.id('baseUrl')}
      label={t('channel.baseUrl')}
      required={type?.form.baseUrl === 'required'}
      error={form.error('baseUrl')}
      help={own && baseUrl === '' ? t('channel.baseUrlDefault', { address: own }) : undefined}
    >
      <Input
        {...props}
        type="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={own || type?.form.baseUrlHint}
        onBlur={() => {
          form.set('baseUrl', cleanAddress(baseUrl));
          onBlur();
        }}
      />
      {warnsOfV1(form.values, type) && (
        <FieldWarning remedy={t('channel.removeV1')} onRemedy={() => form.set('baseUrl', withoutV1(baseUrl))}>
          {t('channel.endsWithV1')}
        </FieldWarning>
      )}
    </Field>
  );
}

/** The one field whose meaning depends on the type: an API version, a region, an account. */
function OtherField({ form, type }: FieldProps) {
  const { locale } = useBoot();
  const other = type?.form.other;
  if (!other) return null;
  const props = {
    ...form.text('other'),
    placeholder: other.default ?? other.hint,
    autoComplete: 'off',
    spellCheck: false,
  };
  return (
    <Field id={form.id('other')} label={other.label[locale]}>
      {other.multiline ? (
        <Textarea {...props} rows={4} className="font-mono text-xs!" />
      ) : (
        <Input {...props} />
      )}
    </Field>
  );
}

function TestModelField({ form }: { form: Form<ChannelValues> }) {
  const { t } = useTranslation();
  const { models, testModel } = form.values;
  const { onChange, ...props } = form.text('testModel');
  const [first] = models;
  return (
    <Field id={form.id('testModel')} label={t('channel.testModel')}>
      <Select {...props} onChange={onChange}>
        <option value="">
          {first ? t('channel.testModelFirst', { model: first }) : t('channel.testModelNone')}
        </option>
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
        {testModel !== '' && !models.includes(testModel) && <option>{testModel}</option>}
      </Select>
    </Field>
  );
}
