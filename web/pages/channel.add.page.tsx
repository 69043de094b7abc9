/** Adds a channel, and tests it when asked. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Button } from '@/components/ui/button.tsx';
import { createChannel, testOutcome } from '@/features/channel/calls.ts';
import { ChannelFields, typeOf } from '@/features/channel/channel-fields.tsx';
import {
  bodyOf,
  type ChannelValues,
  channelErrors,
  emptyChannel,
  withType,
} from '@/features/channel/form.ts';
import { keepOutcome, markNew } from '@/features/channel/recent.ts';
import { useAddressQuestion } from '@/features/channel/use-address-question.ts';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer, useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel/add');
const list = getRouteApi('/_console/channel');

export function ChannelAddDrawer() {
  const { t } = useTranslation();
  const { types } = route.useLoaderData();
  const { kind } = route.useSearch();
  const { groups } = list.useLoaderData();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const isAddressMeant = useAddressQuestion();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const [initial] = useState<ChannelValues>(() => withType(emptyChannel, String(kind ?? 1), types));
  const [saved, setSaved] = useState(false);
  const withTest = useRef(true);

  const form = useForm<ChannelValues>({
    initial,
    validate: (values) => channelErrors(values, { type: typeOf(types, values), timeZone, now }, t),
    submit: async (values) => {
      const wantsTest = withTest.current;
      if (!(await isAddressMeant(values))) return;
      const ids = await createChannel(api, bodyOf(values, timeZone));
      for (const id of ids) markNew(id);
      setSaved(true);
      const [only] = ids;
      if (only === undefined || ids.length > 1 || !wantsTest) {
        notify({ tone: 'ok', text: t('channel.created', { count: ids.length }) });
        await router.invalidate();
        return close();
      }
      // It exists from here on: what the test says is shown by the form that edits it.
      keepOutcome(only, await testOutcome(api, only, t));
      await router.invalidate();
      await router.navigate({
        to: '/channel/edit/$id',
        params: { id: String(only) },
        ...openDrawer,
        state: router.history.location.state.overList ? openDrawer.state : {},
        replace: true,
      });
    },
  });

  return (
    <DrawerForm
      title={t('channel.newTitle')}
      form={form}
      submitLabel={t('channel.saveAndTest')}
      failed={t('channel.submitFailed')}
      saved={saved}
      onClose={close}
      actions={
        <Button
          size="lg"
          onClick={() => {
            withTest.current = false;
            form.onSubmit();
            withTest.current = true;
          }}
        >
          {t('app.save')}
        </Button>
      }
    >
      <ChannelFields form={form} types={types} groups={groups} />
    </DrawerForm>
  );
}
