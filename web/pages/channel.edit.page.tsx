/** Changes a channel, and tests it when asked. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Status } from '@/components/status.tsx';
import { Button } from '@/components/ui/button.tsx';
import { testOutcome, updateChannel } from '@/features/channel/calls.ts';
import { type Channel, channelStates } from '@/features/channel/channel.ts';
import { ChannelFields, typeOf } from '@/features/channel/channel-fields.tsx';
import {
  type ChannelValues,
  changeOf,
  channelErrors,
  isSame,
  savedValues,
  valuesOf,
} from '@/features/channel/form.ts';
import { type TestOutcome, takeOutcome } from '@/features/channel/recent.ts';
import { TestNotice } from '@/features/channel/test-notice.tsx';
import { useAddressQuestion } from '@/features/channel/use-address-question.ts';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel/edit/$id');
const list = getRouteApi('/_console/channel');

export function ChannelEditDrawer() {
  const { channel } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  // Another channel is another form; so is one whose times stand in the browser's zone, which the server did not know.
  return <EditForm key={`${channel.id} ${timeZone}`} />;
}

function EditForm() {
  const { t } = useTranslation();
  const { types, channel } = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const [initial, setInitial] = useState(() => valuesOf(channel, timeZone));
  const [outcome, setOutcome] = useState<TestOutcome | null>(() => takeOutcome(channel.id));
  const [saved, setSaved] = useState(false);
  const withTest = useRef(true);
  const isAddressMeant = useAddressQuestion();

  const form = useForm<ChannelValues>({
    initial,
    validate: (values) =>
      channelErrors(values, { type: typeOf(types, values), saved: initial, timeZone, now }, t),
    submit: async (values) => {
      const wantsTest = withTest.current;
      const isChanged = !isSame(values, initial);
      if (!wantsTest && !isChanged) return notify({ tone: 'ok', text: t('app.nothingChanged') });
      if (values.baseUrl !== initial.baseUrl && !(await isAddressMeant(values))) return;
      if (isChanged) await updateChannel(api, changeOf(channel.id, values, timeZone));
      if (!wantsTest) {
        setSaved(true);
        notify({ tone: 'ok', text: t('channel.updated') });
        await router.invalidate();
        return close();
      }
      const next = savedValues(values);
      setInitial(next);
      form.set('key', next.key);
      form.set('baseUrl', next.baseUrl);
      setOutcome(await testOutcome(api, channel.id, t));
      await router.invalidate();
    },
  });

  return (
    <DrawerForm
      title={<Title channel={channel} />}
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
      <TestNotice channel={channel} outcome={outcome} />
      <ChannelFields form={form} types={types} groups={groups} channel={channel} />
    </DrawerForm>
  );
}

function Title({ channel: { id, name, status } }: { channel: Channel }) {
  const { t } = useTranslation();
  const state = channelStates.find((one) => one.status === status);
  return (
    <span className="flex items-baseline">
      <span className="truncate" title={name}>
        {name}
      </span>
      <span className="ml-2 text-sm font-normal whitespace-nowrap text-muted">
        {t('channel.idIs', { id })}
      </span>
      {state && (
        <span className="ml-3 text-sm font-normal">
          <Status tone={state.tone}>{t(state.label)}</Status>
        </span>
      )}
    </span>
  );
}
