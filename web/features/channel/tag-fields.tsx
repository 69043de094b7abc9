/** The fields that change all channels under a tag; each says what is so now. */
import { ChipPicker } from '@/components/chip-picker.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Pair } from './advanced-fields.tsx';
import { type Channel, modelsOf } from './channel.ts';
import { sumOf } from './line.ts';
import type { TagValues } from './tag-form.ts';

interface TagFieldsProps {
  form: Form<TagValues>;
  tag: string;
  /** Those under the tag. */
  channels: Channel[];
  groups: readonly string[];
}

export function TagFields({ form, tag, channels, groups }: TagFieldsProps) {
  const { t } = useTranslation();
  const { priority, weight } = sumOf({ tagOf: tag, channels });
  const shown = (value: number | null) => (value === null ? t('channel.mixed') : String(value));
  const picker = (name: 'models' | 'groups') => ({
    id: form.id(name),
    value: form.values[name],
    placeholder: form.values[name].length === 0 ? t('channel.leaveAsIs') : undefined,
    onChange: (value: string[]) => form.set(name, value),
  });
  return (
    <>
      <Field id={form.id('newTag')} label={t('channel.tag')} help={t('channel.newTagHelp')}>
        <Input {...form.text('newTag')} autoComplete="off" spellCheck={false} />
      </Field>
      <Field id={form.id('models')} label={t('channel.models')}>
        <ChipPicker
          {...picker('models')}
          label={t('channel.models')}
          options={[...new Set(channels.flatMap(modelsOf))].sort()}
          allowNew
        />
      </Field>
      <Field id={form.id('groups')} label={t('channel.groups')}>
        <ChipPicker {...picker('groups')} label={t('channel.groups')} options={groups} />
      </Field>
      <Field id={form.id('mapping')} label={t('channel.mapping')} error={form.error('mapping')}>
        <Textarea
          {...form.text('mapping')}
          rows={4}
          spellCheck={false}
          placeholder={t('channel.leaveAsIs')}
          className="font-mono text-xs!"
        />
      </Field>
      <Pair>
        <Field
          id={form.id('priority')}
          label={t('channel.priority')}
          help={t('channel.nowIs', { value: shown(priority) })}
          error={form.error('priority')}
        >
          <Input {...form.text('priority')} autoComplete="off" placeholder={t('channel.leaveAsIs')} />
        </Field>
        <Field
          id={form.id('weight')}
          label={t('channel.weight')}
          help={t('channel.nowIs', { value: shown(weight) })}
          error={form.error('weight')}
        >
          <Input {...form.text('weight')} autoComplete="off" placeholder={t('channel.leaveAsIs')} />
        </Field>
      </Pair>
    </>
  );
}
