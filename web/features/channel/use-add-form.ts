/** The form that adds a channel, and tests it unless it is told not to. */
import { useRouter } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { createChannel, testOutcome } from './calls.ts';
import type { ChannelType } from './channel.ts';
import { typeOf } from './channel-fields.tsx';
import { bodyOf, type ChannelValues, channelErrors, emptyChannel, withType } from './form.ts';
import { keepOutcome, markNew } from './recent.ts';
import { useAddressQuestion } from './use-address-question.ts';
import { useTellUnpriced } from './use-unpriced.ts';

interface AddFormOptions {
  /** Number of the type that it begins with, and is called after. */
  kind: number | undefined;
  types: readonly ChannelType[];
  withTest: RefObject<boolean>;
  /** Closes the drawer. */
  close: () => void;
}

export function useAddForm({ kind, types, withTest, close }: AddFormOptions) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const isAddressMeant = useAddressQuestion();
  const tellUnpriced = useTellUnpriced();
  const { timeZone } = useTimeRules();
  const now = useNow();
  const [initial] = useState<ChannelValues>(() => beginning(kind, types));
  const [saved, setSaved] = useState(false);

  const form = useForm<ChannelValues>({
    initial,
    validate: (values) => channelErrors(values, { type: typeOf(types, values), timeZone, now }, t),
    submit: async (values) => {
      const wantsTest = withTest.current;
      if (!(await isAddressMeant(values, typeOf(types, values)))) return;
      const ids = await createChannel(api, bodyOf(values, timeZone));
      for (const id of ids) markNew(id);
      setSaved(true);
      const [only] = ids;
      if (only === undefined || ids.length > 1 || !wantsTest) {
        notify({ tone: 'ok', text: t('channel.created', { count: ids.length }) });
        await router.invalidate();
        close();
        return only === undefined ? undefined : tellUnpriced(only, values.models);
      }
      // It exists from here on: what the test says is shown by the form that edits it.
      keepOutcome(only, await testOutcome(api, only, t));
      await router.invalidate();
      const edit = { to: '/channel/edit/$id', params: { id: String(only) }, search: true } as const;
      // One form takes the place of the other, and no frame stands between them.
      await router.preloadRoute(edit);
      await router.navigate({
        ...edit,
        ...openDrawer,
        state: router.history.location.state.overList ? openDrawer.state : {},
        replace: true,
      });
    },
  });

  return { form, saved };
}

function beginning(kind: number | undefined, types: readonly ChannelType[]): ChannelValues {
  const values = withType(emptyChannel, String(kind ?? 1), types);
  const chosen = kind === undefined ? undefined : typeOf(types, values);
  return { ...values, name: chosen?.label ?? '' };
}
