/** The form that changes a channel: saves what was changed, and tests the channel unless it is told not to. */
import { useRouter } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import { ApiError } from '@/lib/api-error.ts';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { testOutcome, updateChannel } from './calls.ts';
import type { Channel, ChannelType } from './channel.ts';
import { typeOf } from './channel-fields.tsx';
import {
  type ChannelValues,
  changeOf,
  channelErrors,
  isSame,
  type Refused,
  savedValues,
  valuesOf,
} from './form.ts';
import { type TestOutcome, takeOutcome } from './recent.ts';
import { useAddressQuestion } from './use-address-question.ts';
import { useTellUnpriced } from './use-unpriced.ts';

interface EditFormOptions {
  channel: Channel;
  types: readonly ChannelType[];
  withTest: RefObject<boolean>;
  /** Closes the drawer. */
  close: () => void;
}

export function useEditForm({ channel, types, withTest, close }: EditFormOptions) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const [initial, setInitial] = useState(() => valuesOf(channel, timeZone));
  const [outcome, setOutcome] = useState<TestOutcome | null>(() => takeOutcome(channel.id));
  const [saved, setSaved] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const isAddressMeant = useAddressQuestion();
  const tellUnpriced = useTellUnpriced();

  const form = useForm<ChannelValues>({
    initial,
    validate: (values) =>
      channelErrors(values, { type: typeOf(types, values), saved: initial, refused, timeZone, now }, t),
    submit: async (values) => {
      const wantsTest = withTest.current;
      const isChanged = !isSame(values, initial);
      if (!wantsTest && !isChanged) return notify({ tone: 'ok', text: t('app.nothingChanged') });
      if (values.baseUrl !== initial.baseUrl && !(await isAddressMeant(values, typeOf(types, values))))
        return;
      const taken = isChanged ? await saveOf(values) : undefined;
      if (taken === null) return;
      if (!wantsTest) {
        setSaved(true);
        notify({ tone: 'ok', text: t('channel.updated') });
        await router.invalidate();
        close();
        return tellUnpriced(channel.id, values.models);
      }
      const next = savedValues(values, taken);
      setInitial(next);
      form.set('key', next.key);
      form.set('baseUrl', next.baseUrl);
      form.set('privateAllowed', next.privateAllowed);
      setOutcome(await testOutcome(api, channel.id, t));
      await router.invalidate();
    },
  });

  /** Saves the values; null where the server wants the key again, of which the field of the key tells. */
  async function saveOf(values: ChannelValues): Promise<Channel | null> {
    try {
      return await updateChannel(api, changeOf(channel.id, values, timeZone));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'CHANNEL_KEY_AGAIN')) throw error;
      setRefused({ values, text: error.message });
      document.getElementById(form.id('key'))?.focus();
      return null;
    }
  }

  return { form, saved, outcome };
}
