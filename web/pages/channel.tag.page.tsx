/** Changes all channels under a tag at once: every field overrides, an empty one leaves them as they are. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { editTag } from '@/features/channel/calls.ts';
import { TagFields } from '@/features/channel/tag-fields.tsx';
import { type TagValues, tagBody, tagErrors, untouched } from '@/features/channel/tag-form.ts';
import { TagSummary } from '@/features/channel/tag-summary.tsx';
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
      <TagFields form={form} tag={tag} channels={channels} groups={groups} />
      <TagSummary tag={tag} values={form.values} count={total} />
    </DrawerForm>
  );
}
