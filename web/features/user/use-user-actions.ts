/** What the list does with its users: one place for the call, the message and the fresh rows. */
import type { ManageAction } from '@modules/user/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { useManyQuestion } from '@/components/many-question.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { namesText } from '@/lib/names.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useEach } from '@/lib/use-each.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { User } from './user.ts';

export interface UserActions {
  manage: (user: User, action: ManageAction) => Promise<void>;
  /**
   * What is done to several at once; those to whom it could not be done are named. Asked first beyond a page; false where it
   * was not confirmed.
   */
  manageMany: (users: readonly User[], action: 'enable' | 'disable', isBeyond: boolean) => Promise<boolean>;
  erase: (user: User) => Promise<void>;
}

const nameOf = ({ username }: User): string => username;

export function useUserActions(): UserActions {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const mayDo = useManyQuestion();
  const each = useEach();

  return useMemo((): UserActions => {
    const act = (user: User, action: ManageAction) =>
      api.send('POST', '/api/user/manage', { body: { id: user.id, action } });
    const asked = (user: User, action: ManageAction) => {
      const name = user.username;
      const work = async () => void (await act(user, action));
      if (action === 'delete') {
        return confirm({
          title: t('user.cancelTitle', { name }),
          body: t('user.cancelBody'),
          action: t('user.delete'),
          danger: true,
          typed: name,
          work,
        });
      }
      if (action === 'promote' || action === 'demote') {
        return confirm({
          title: t(`user.${action}Title`, { name }),
          body: t(`user.${action}Body`),
          action: t(`user.${action}`),
          work,
        });
      }
      return work().then(() => true);
    };
    return {
      async manage(user, action) {
        try {
          if (!(await asked(user, action))) return;
          notify({ tone: 'ok', text: t(`user.done.${action}`, { name: user.username }) });
        } catch (error) {
          notify(failureNotice(error, t));
        }
        await router.invalidate();
      },
      async manageMany(users, action, isBeyond) {
        const title = t(`user.${action}`);
        const danger = action === 'disable';
        const body = danger ? t('user.disableManyBody') : undefined;
        const names = users.map(nameOf);
        if (!(await mayDo({ names, isBeyond, action: title, body, danger }))) return false;
        await each(users, {
          title,
          work: (user) => act(user, action),
          changed: (count) => t('user.changedMany', { count }),
          unchanged: (failed) =>
            t('user.changeFailed', { count: failed.length, names: namesText(failed.map(nameOf), t) }),
        });
        return true;
      },
      async erase(user) {
        const name = user.username;
        const isDone = await confirm({
          title: t('user.eraseTitle', { name }),
          body: t('user.eraseBody'),
          action: t('user.erase'),
          danger: true,
          typed: name,
          work: () => api.send('DELETE', '/api/user/:id', { params: { id: user.id } }),
        });
        if (!isDone) return;
        notify({ tone: 'ok', text: t('user.done.erase', { name }) });
        await router.invalidate();
      },
    };
  }, [t, api, router, confirm, mayDo, each]);
}
