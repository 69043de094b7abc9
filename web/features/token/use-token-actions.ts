/** What the list does with its tokens: one place for the call, the message and the fresh rows. */
import { TOKEN_STATUS } from '@modules/token/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { eachOf } from '@/lib/each-of.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { removeToken, removeTokens, setStatus } from './calls.ts';
import type { Token } from './token.ts';

export interface TokenActions {
  setEnabled: (token: Token, enabled: boolean) => Promise<void>;
  setManyEnabled: (tokens: readonly Token[], enabled: boolean) => Promise<void>;
  remove: (token: Token) => Promise<void>;
  /** True when it was confirmed and done. */
  removeMany: (tokens: readonly Token[]) => Promise<boolean>;
}

const statusFor = (enabled: boolean) => (enabled ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled);

export function useTokenActions(): TokenActions {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();

  return useMemo((): TokenActions => {
    const failed = (error: unknown) => notify(failureNotice(error, t));

    const setEnabled = async (token: Token, enabled: boolean): Promise<void> => {
      try {
        await setStatus(api, token.id, statusFor(enabled));
        notify({
          tone: 'ok',
          text: t(enabled ? 'token.enabled' : 'token.disabled', { name: token.name }),
          action: { label: t('token.undo'), run: () => void setEnabled(token, !enabled) },
        });
      } catch (error) {
        failed(error);
      }
      await router.invalidate();
    };

    return {
      setEnabled,
      async setManyEnabled(tokens, enabled) {
        const { done, failed } = await eachOf(tokens, ({ id }) => setStatus(api, id, statusFor(enabled)));
        if (done.length > 0) notify({ tone: 'ok', text: t('token.changedMany', { count: done.length }) });
        if (failed.length > 0) {
          const names = failed.map(({ name }) => name).join(', ');
          notify({ tone: 'bad', text: t('token.changeFailed', { count: failed.length, names }) });
        }
        await router.invalidate();
      },
      async remove(token) {
        const done = await confirm({
          title: t('token.deleteTitle', { name: token.name }),
          body: t('token.deleteBody'),
          action: t('token.delete'),
          danger: true,
          work: () => removeToken(api, token.id),
        });
        if (!done) return;
        notify({ tone: 'ok', text: t('token.deleted', { name: token.name }) });
        await router.invalidate();
      },
      async removeMany(tokens) {
        const done = await confirm({
          title: t('token.deleteManyTitle', { count: tokens.length }),
          body: `${tokens.map(({ name }) => name).join(', ')} — ${t('token.deleteBody')}`,
          action: t('token.delete'),
          danger: true,
          work: async () => {
            await removeTokens(
              api,
              tokens.map(({ id }) => id),
            );
          },
        });
        if (!done) return false;
        notify({ tone: 'ok', text: t('token.deletedMany', { count: tokens.length }) });
        await router.invalidate();
        return true;
      },
    };
  }, [t, api, router, confirm]);
}
