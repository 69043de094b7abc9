/** What the list does with its tokens: one place for the call, the message and the fresh rows. */
import { TOKEN_STATUS } from '@modules/token/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { useManyQuestion } from '@/components/many-question.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { namesText } from '@/lib/names.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useEach } from '@/lib/use-each.ts';
import { useMany } from '@/lib/use-many.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { removeToken, removeTokens, setStatus } from './calls.ts';
import type { Token } from './token.ts';

export interface TokenActions {
  setEnabled: (token: Token, enabled: boolean) => Promise<void>;
  /** Asked first beyond a page; false where it was not confirmed. */
  setManyEnabled: (tokens: readonly Token[], enabled: boolean, isBeyond: boolean) => Promise<boolean>;
  remove: (token: Token) => Promise<void>;
  /** True when it was confirmed and done. */
  removeMany: (tokens: readonly Token[]) => Promise<boolean>;
}

const nameOf = ({ name }: Token): string => name;

const statusFor = (enabled: boolean) => (enabled ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled);

export function useTokenActions(): TokenActions {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const mayDo = useManyQuestion();
  const each = useEach();
  const many = useMany();

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
      async setManyEnabled(tokens, enabled, isBeyond) {
        const title = t(enabled ? 'token.enable' : 'token.disable');
        const names = tokens.map(nameOf);
        if (!(await mayDo({ names, isBeyond, action: title, danger: !enabled }))) return false;
        await each(tokens, {
          title,
          work: ({ id }) => setStatus(api, id, statusFor(enabled)),
          changed: (count) => t('token.changedMany', { count }),
          unchanged: (failed) =>
            t('token.changeFailed', { count: failed.length, names: namesText(failed.map(nameOf), t) }),
        });
        return true;
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
        const drop = (some: readonly Token[]) =>
          removeTokens(
            api,
            some.map(({ id }) => id),
          );
        let isBegun = false;
        const names = namesText(tokens.map(nameOf), t);
        const done = await confirm({
          title: t('token.deleteManyTitle', { count: tokens.length }),
          body: `${names} — ${t('token.deleteBody')}`,
          action: t('token.delete'),
          danger: true,
          work: async () => {
            isBegun = many(tokens, t('token.delete'), drop);
            if (!isBegun) await drop(tokens);
          },
        });
        if (!done) return false;
        if (isBegun) return true;
        notify({ tone: 'ok', text: t('token.deletedMany', { count: tokens.length }) });
        await router.invalidate();
        return true;
      },
    };
  }, [t, api, router, confirm, mayDo, each, many]);
}
