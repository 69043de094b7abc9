/** What the list does with its channels: one place for the call, the message and the fresh rows. */
import { formatSeconds } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { errorText, requestIdOf } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { removeChannel, testChannel, updateChannel } from './calls.ts';
import { CHANNEL_STATUS, type Channel, modelsOf } from './channel.ts';

export interface ChannelActions {
  /** Ids of the channels whose test is under way. */
  testing: ReadonlySet<number>;
  test: (channel: Channel) => Promise<void>;
  setEnabled: (channel: Channel, enabled: boolean) => Promise<void>;
  /** Saves a number that was edited in place; throws when it was refused. */
  setNumber: (channel: Channel, field: 'priority' | 'weight', value: number) => Promise<void>;
  remove: (channel: Channel) => Promise<void>;
}

export function useChannelActions(): ChannelActions {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const [testing, setTesting] = useState<ReadonlySet<number>>(new Set());

  const actions = useMemo((): Omit<ChannelActions, 'testing'> => {
    const setEnabled = async (channel: Channel, enabled: boolean): Promise<void> => {
      const { id, name } = channel;
      const status = enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
      try {
        await updateChannel(api, { id, status });
        notify({
          tone: 'ok',
          text: t(enabled ? 'channel.enabled' : 'channel.disabled', { name }),
          action: { label: t('channel.undo'), run: () => void setEnabled(channel, !enabled) },
        });
      } catch (error) {
        notify({ tone: 'bad', text: errorText(error, t), requestId: requestIdOf(error) });
      }
      await router.invalidate();
    };

    return {
      setEnabled,
      async test({ id, name }) {
        setTesting((ids) => new Set(ids).add(id));
        try {
          const { response_time } = await testChannel(api, id);
          notify({
            tone: 'ok',
            text: t('channel.tested', { name, time: formatSeconds(response_time / 1_000) }),
          });
        } catch (error) {
          const reason = errorText(error, t);
          notify({
            tone: 'bad',
            text: t('channel.testFailed', { name, reason }),
            requestId: requestIdOf(error),
          });
        }
        setTesting((ids) => new Set([...ids].filter((one) => one !== id)));
        await router.invalidate();
      },
      async setNumber({ id }, field, value) {
        await updateChannel(api, { id, [field]: value });
        await router.invalidate();
      },
      async remove(channel) {
        const { id, name } = channel;
        const done = await confirm({
          title: t('channel.deleteTitle', { name, id }),
          body: t('channel.deleteBody', { count: modelsOf(channel).length }),
          action: t('channel.delete'),
          danger: true,
          work: () => removeChannel(api, id),
        });
        if (!done) return;
        notify({ tone: 'ok', text: t('channel.deleted', { name }) });
        await router.invalidate();
      },
    };
  }, [t, api, router, confirm]);

  return useMemo(() => ({ ...actions, testing }), [actions, testing]);
}
