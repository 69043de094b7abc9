/** Changes all channels under a tag at once: every field overrides, an empty one leaves them as they are. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { ChipPicker } from '@/components/chip-picker.tsx';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Pair } from '@/features/channel/advanced-fields.tsx';
import { editTag } from '@/features/channel/calls.ts';
import { modelsOf } from '@/features/channel/channel.ts';
import { sumOf } from '@/features/channel/line.ts';
import { type TagValues, tagBody, tagErrors, untouched } from '@/features/channel/tag-form.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel/tag/$tag');
const list = getRouteApi('/_console/channel');

export function ChannelTagDrawer() {
  const { tag } = route.useParams();
  // Another tag is another form.
  return <TagForm key={tag} tag={tag} />;
}

function TagForm({ tag }: { tag: string }) {
  const { t } = useTranslation();
  const { channels, total } = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const [initial] = useState(() => untouched(tag));
  const [saved, setSaved] = useState(false);
  const { priority, weight } = sumOf({ tagOf: tag, channels });
  const shown = (value: number | null) => (value === null ? t('channel.mixed') : String(value));

  const form = useForm<TagValues>({
    initial,
    validate: (values) => tagErrors(values, t),
    submit: async (values) => {
      const body = tagBody(tag, values);
      if (!body) return notify({ tone: 'ok', text: t('channel.tagSame') });
      const count = await editTag(api, body);
      setSaved(true);
      notify({ tone: 'ok', text: t('channel.tagChanged', { count }) });
      await router.invalidate();
      close();
    },
  });
  const picker = (name: 'models' | 'groups') => ({
    id: form.id(name),
    value: form.values[name],
    placeholder: form.values[name].length === 0 ? t('channel.leaveAsIs') : undefined,
    onChange: (value: string[]) => form.set(name, value),
  });

  return (
    <DrawerForm
      title={t('channel.tagEditTitle', { tag })}
      sub={t('channel.tagEditHelp', { count: total })}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      {total === 0 && !saved && <Notice tone="warn">{t('channel.tagGone')}</Notice>}
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
      <Summary tag={tag} values={form.values} count={total} />
    </DrawerForm>
  );
}

/** What saving will do, said before it is done. */
function Summary({ tag, values, count }: { tag: string; values: TagValues; count: number }) {
  const { t } = useTranslation();
  const newTag = values.newTag.trim();
  const parts = [
    newTag === '' && t('channel.willDissolve'),
    newTag !== '' && newTag !== tag && t('channel.willRename', { tag: newTag }),
    values.models.length > 0 && t('channel.willModels', { count: values.models.length }),
    values.groups.length > 0 && t('channel.willGroups', { groups: values.groups.join(', ') }),
    values.mapping.trim() !== '' && t('channel.willMapping'),
    values.priority.trim() !== '' && t('channel.willPriority', { value: values.priority.trim() }),
    values.weight.trim() !== '' && t('channel.willWeight', { value: values.weight.trim() }),
  ].filter(Boolean);
  return (
    <div role="status" className="empty:hidden">
      {parts.length > 0 && (
        <Notice tone={newTag === '' ? 'warn' : 'plain'}>
          {t('channel.tagWill', { count, changes: parts.join(t('channel.tagWillJoin')) })}
        </Notice>
      )}
    </div>
  );
}
