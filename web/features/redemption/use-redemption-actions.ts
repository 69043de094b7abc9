/** What the list does with its codes: one place for the call, the message and the fresh rows. */
import type { RedemptionAction } from '@modules/redemption/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Redemption } from './redemption.ts';

export interface RedemptionActions {
  /** The whole codes, a line each; asked for only when somebody copies them. */
  reveal: (codes: readonly Redemption[]) => Promise<string>;
  setEnabled: (codes: readonly Redemption[], enabled: boolean) => Promise<void>;
  /** True when it was confirmed and done. */
  remove: (codes: readonly Redemption[]) => Promise<boolean>;
  removeInvalid: () => Promise<void>;
  failed: (error: unknown) => void;
}

export function useRedemptionActions(): RedemptionActions {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();

  return useMemo((): RedemptionActions => {
    const failed = (error: unknown) => notify(failureNotice(error, t));
    const idsOf = (codes: readonly Redemption[]) => codes.map(({ id }) => id);
    const change = (codes: readonly Redemption[], action: RedemptionAction): Promise<number> =>
      api.send('POST', '/api/redemption/batch', { body: { ids: idsOf(codes), action } });
    const tell = (changed: number, asked: number) => {
      if (changed > 0) notify({ tone: 'ok', text: t('redemption.changed', { count: changed }) });
      const left = asked - changed;
      if (left > 0) notify({ tone: 'bad', text: t('redemption.unchanged', { count: left }) });
    };
    return {
      failed,
      async reveal(codes) {
        const shown = await api.send('POST', '/api/redemption/keys', { body: { ids: idsOf(codes) } });
        return shown.map(({ key }) => key).join('\n');
      },
      async setEnabled(codes, enabled) {
        try {
          tell(await change(codes, enabled ? 'enable' : 'disable'), codes.length);
        } catch (error) {
          failed(error);
        }
        await router.invalidate();
      },
      async remove(codes) {
        const isDone = await confirm({
          title: t('redemption.deleteTitle', { count: codes.length }),
          body: t('redemption.deleteBody'),
          action: t('redemption.delete'),
          danger: true,
          work: async () => tell(await change(codes, 'delete'), codes.length),
        });
        if (isDone) await router.invalidate();
        return isDone;
      },
      async removeInvalid() {
        let removed = 0;
        const isDone = await confirm({
          title: t('redemption.cleanTitle'),
          body: t('redemption.cleanBody'),
          action: t('redemption.clean'),
          danger: true,
          work: async () => {
            removed = await api.send('DELETE', '/api/redemption/invalid');
          },
        });
        if (!isDone) return;
        notify({ tone: 'ok', text: t('redemption.changed', { count: removed }) });
        await router.invalidate();
      },
    };
  }, [t, api, router, confirm]);
}
