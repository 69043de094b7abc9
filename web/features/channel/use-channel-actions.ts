/** What the list does with one channel: one place for the call, the message and the fresh rows. */

import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { copyChannel, refreshBalance, removeChannel, testChannel, updateChannel } from './calls.ts';
import { type Channel, dollars } from './channel.ts';
import { markNew } from './recent.ts';

export interface ChannelActions {
  /** Ids of the channels whose test is under way. */
  testing: ReadonlySet<number>;
  /** Ids of the channels whose balance is being asked for. */
  asking: ReadonlySet<number>;
  test: (channel: Channel) => Promise<void>;
  setEnabled: (channel: Channel, enabled: boolean) => Promise<void>;
  /** Saves a number that was edited in place; throws when it was refused. */
  setNumber: (channel: Channel, field: 'priority' | 'weight', value: number) => Promise<void>;
  refreshBalance: (channel: Channel) => Promise<void>;
  /** Copies it, key included, and opens the copy's form. */
  copy: (channel: Channel) => Promise<void>;
  remove: (channel: Channel) => Promise<void>;
}

export function useChannelActions(): ChannelActions {
  const { t } = useTranslation();
  const duration = useDuration();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const [testing, whileTesting] = useBusyIds();
  const [asking, whileAsking] = useBusyIds();

  const actions = useMemo((): Omit<ChannelActions, 'testing' | 'asking'> => {
    const failed = (error: unknown, text?: string) => notify(failureNotice(error, t, text));

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
        failed(error);
      }
      await router.invalidate();
    };

    return {
      setEnabled,
      async test({ id, name }) {
        await whileTesting(id, async () => {
          try {
            const { response_time } = await testChannel(api, id);
            const time = duration(response_time / 1_000);
            notify({ tone: 'ok', text: t('channel.tested', { name, time }) });
          } catch (error) {
            failed(error, t('channel.testFailed', { name, reason: errorText(error, t) }));
          }
        });
        await router.invalidate();
      },
      async setNumber({ id }, field, value) {
        await updateChannel(api, { id, [field]: value });
        await router.invalidate();
      },
      async refreshBalance({ id, name }) {
        await whileAsking(id, async () => {
          try {
            const { balance } = await refreshBalance(api, id);
            notify({ tone: 'ok', text: t('channel.balanceIs', { name, balance: dollars(balance) }) });
          } catch (error) {
            failed(error, t('channel.balanceFailed', { name, reason: errorText(error, t) }));
          }
        });
        await router.invalidate();
      },
      async copy({ id }) {
        try {
          const copy = await copyChannel(api, id, t('channel.copySuffix'));
          markNew(copy);
          await router.invalidate();
          await router.navigate({ to: '/channel/edit/$id', params: { id: String(copy) }, ...openDrawer });
        } catch (error) {
          failed(error, t('channel.copyFailed', { reason: errorText(error, t) }));
        }
      },
      async remove(channel) {
        const { id, name, model_count: count } = channel;
        const done = await confirm({
          title: t('channel.deleteTitle', { name, id }),
          body: t('channel.deleteBody', { count }),
          action: t('channel.delete'),
          danger: true,
          work: async () => {
            await removeChannel(api, id);
          },
        });
        if (!done) return;
        notify({ tone: 'ok', text: t('channel.deleted', { name }) });
        await router.invalidate();
      },
    };
  }, [t, duration, api, router, confirm, whileTesting, whileAsking]);

  return useMemo(() => ({ ...actions, testing, asking }), [actions, testing, asking]);
}

type WhileBusy = (id: number, work: () => Promise<void>) => Promise<void>;

/** The ids that something is being done to, and the way to do it. */
function useBusyIds(): [ReadonlySet<number>, WhileBusy] {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const during = useMemo(
    (): WhileBusy => async (id, work) => {
      setIds((old) => new Set(old).add(id));
      await work();
      setIds((old) => new Set([...old].filter((one) => one !== id)));
    },
    [],
  );
  return [ids, during];
}
