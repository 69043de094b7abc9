/** What is done to many channels at once: to those that were chosen, to those of a tag, to all. */

import { formatNumber } from '@core/money.ts';
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { useManyQuestion } from '@/components/many-question.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { beginJob, type JobPath } from '@/lib/jobs.ts';
import { namesText } from '@/lib/names.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useMany } from '@/lib/use-many.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  countOff,
  editTag,
  fixIndex,
  removeChannels,
  removeDisabled,
  setStatusOf,
  setTagStatus,
  tagChannels,
} from './calls.ts';
import type { Channel } from './channel.ts';

/** Which channels a test or a balance is asked of; empty for all. */
export interface Scope {
  status?: number;
  ids?: readonly number[];
}

export interface ManyActions {
  /** Asked first beyond a page; false where it was not confirmed. */
  setEnabled: (channels: readonly Channel[], enabled: boolean, isBeyond: boolean) => Promise<boolean>;
  /** True when it was confirmed and done. */
  remove: (channels: readonly Channel[]) => Promise<boolean>;
  /** Throws when it was refused. */
  tag: (channels: readonly Channel[], tag: string) => Promise<void>;
  setTagEnabled: (tag: string, enabled: boolean) => Promise<void>;
  /** Overrides a number of every channel of the tag; throws when it was refused. */
  setTagNumber: (tag: string, field: 'priority' | 'weight', value: number) => Promise<void>;
  /** Begins a job and opens its panel. */
  begin: (path: JobPath, scope?: Scope) => Promise<void>;
  /** Of all channels, whatever the list shows. */
  removeDisabled: () => Promise<void>;
  fix: () => Promise<void>;
}

const nameOf = ({ name }: Channel): string => name;

const idsOf = (channels: readonly Channel[]): number[] => channels.map(({ id }) => id);

export function useManyActions(): ManyActions {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const mayDo = useManyQuestion();
  const many = useMany();

  return useMemo((): ManyActions => {
    const failed = (error: unknown) => notify(failureNotice(error, t));
    /** Does it, says it, and shows the fresh rows; says why where it was refused. */
    const attempt = async (work: () => Promise<string>): Promise<void> => {
      try {
        notify({ tone: 'ok', text: await work() });
      } catch (error) {
        failed(error);
      }
      await router.invalidate();
    };

    return {
      async setEnabled(channels, enabled, isBeyond) {
        const title = t(enabled ? 'channel.enable' : 'channel.disable');
        const names = channels.map(nameOf);
        if (!(await mayDo({ names, isBeyond, action: title, danger: !enabled }))) return false;
        const status = enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
        const change = (some: readonly Channel[]) => setStatusOf(api, idsOf(some), status);
        if (many(channels, title, change)) return true;
        await attempt(async () => {
          const count = await change(channels);
          return t(enabled ? 'channel.enabledMany' : 'channel.disabledMany', { count });
        });
        return true;
      },
      async remove(channels) {
        const drop = (some: readonly Channel[]) => removeChannels(api, idsOf(some));
        let isBegun = false;
        let count = 0;
        const done = await confirm({
          title: t('channel.deleteManyTitle', { count: channels.length }),
          body: t('channel.deleteManyBody', {
            names: namesText(channels.map(nameOf), t),
          }),
          action: t('channel.delete'),
          danger: true,
          work: async () => {
            isBegun = many(channels, t('channel.delete'), drop);
            if (!isBegun) count = await drop(channels);
          },
        });
        if (!done) return false;
        if (isBegun) return true;
        notify({ tone: 'ok', text: t('channel.deletedMany', { count }) });
        await router.invalidate();
        return true;
      },
      async tag(channels, tag) {
        const change = (some: readonly Channel[]) => tagChannels(api, idsOf(some), tag);
        if (many(channels, t('channel.tag'), change)) return;
        const count = await change(channels);
        notify({ tone: 'ok', text: t('channel.tagged', { count, tag }) });
        await router.invalidate();
      },
      setTagEnabled: (tag, enabled) =>
        attempt(async () => {
          const count = await setTagStatus(api, tag, enabled);
          return t(enabled ? 'channel.enabledMany' : 'channel.disabledMany', { count });
        }),
      async setTagNumber(tag, field, value) {
        await editTag(api, { tag, [field]: value });
        await router.invalidate();
      },
      async begin(path, { status, ids } = {}) {
        try {
          await beginJob(api, path, { status: status?.toString(), ids: ids?.join(',') });
        } catch (error) {
          failed(error);
        }
      },
      async removeDisabled() {
        const count = await countOff(api).catch(failed);
        if (count === undefined) return;
        if (count === 0) return notify({ tone: 'ok', text: t('channel.noneOff') });
        let removed = 0;
        const done = await confirm({
          title: t('channel.deleteOffTitle', { count }),
          body: t('channel.deleteOffBody'),
          action: t('channel.delete'),
          typed: t('channel.deleteOffWord'),
          danger: true,
          work: async () => {
            removed = await removeDisabled(api);
          },
        });
        if (!done) return;
        notify({ tone: 'ok', text: t('channel.deletedMany', { count: removed }) });
        await router.invalidate();
      },
      fix: () =>
        attempt(async () => {
          const rows = await fixIndex(api);
          return t('channel.fixed', { count: rows, n: formatNumber(rows) });
        }),
    };
  }, [t, api, router, confirm, mayDo, many]);
}
