/** What the list does with its codes: one place for the call, the message and the fresh rows. */
import type { RedemptionAction } from '@modules/redemption/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { useManyQuestion } from '@/components/many-question.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useMany } from '@/lib/use-many.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { codeName, type Redemption } from './redemption.ts';

/** The call takes no more. */
const REVEALED_AT_ONCE = 1_000;

export interface RedemptionActions {
  /** The whole codes, a line each; asked for only when somebody copies them. */
  reveal: (codes: readonly Redemption[]) => Promise<string>;
  /** Asked first beyond a page; false where it was not confirmed. */
  setEnabled: (codes: readonly Redemption[], enabled: boolean, isBeyond: boolean) => Promise<boolean>;
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
  const mayDo = useManyQuestion();
  const many = useMany();

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
        const keys: string[] = [];
        for (let at = 0; at < codes.length; at += REVEALED_AT_ONCE) {
          const ids = idsOf(codes.slice(at, at + REVEALED_AT_ONCE));
          const shown = await api.send('POST', '/api/redemption/keys', { body: { ids } });
          keys.push(...shown.map(({ key }) => key));
        }
        return keys.join('\n');
      },
      async setEnabled(codes, enabled, isBeyond) {
        const action = enabled ? 'enable' : 'disable';
        const title = t(`redemption.${action}`);
        const names = codes.map(codeName);
        if (!(await mayDo({ names, isBeyond, action: title, danger: !enabled }))) return false;
        if (many(codes, title, (some) => change(some, action))) return true;
        try {
          tell(await change(codes, action), codes.length);
        } catch (error) {
          failed(error);
        }
        await router.invalidate();
        return true;
      },
      async remove(codes) {
        let isBegun = false;
        const isDone = await confirm({
          title: t('redemption.deleteTitle', { count: codes.length }),
          body: t('redemption.deleteBody'),
          action: t('redemption.delete'),
          danger: true,
          work: async () => {
            isBegun = many(codes, t('redemption.delete'), (some) => change(some, 'delete'));
            if (!isBegun) tell(await change(codes, 'delete'), codes.length);
          },
        });
        if (isDone && !isBegun) await router.invalidate();
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
  }, [t, api, router, confirm, mayDo, many]);
}
