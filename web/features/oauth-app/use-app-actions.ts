/** What the list does with its applications: one place for the question, the call, the message and the fresh rows. */
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { OAuthApp, OAuthAppWithSecret } from './app.ts';

export interface OAuthAppActions {
  setEnabled: (app: OAuthApp, enabled: boolean) => Promise<void>;
  renew: (app: OAuthApp) => Promise<void>;
  remove: (app: OAuthApp) => Promise<void>;
}

export function useAppActions(onSecret: (app: OAuthAppWithSecret) => void): OAuthAppActions {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();

  return useMemo((): OAuthAppActions => {
    const update = (id: number, enabled: boolean) =>
      api.send('PUT', '/api/oauth_app/admin/:id', { params: { id: String(id) }, body: { enabled } });
    const told = async (text: string) => {
      notify({ tone: 'ok', text });
      await router.invalidate();
    };
    return {
      async setEnabled({ id, name }, enabled) {
        if (enabled) {
          try {
            await update(id, true);
          } catch (error) {
            return notify(failureNotice(error, t));
          }
          return told(t('oauthApp.updated'));
        }
        const isDone = await confirm({
          title: t('oauthApp.disableTitle', { name }),
          body: t('oauthApp.deleteBody'),
          action: t('oauthApp.disable'),
          danger: true,
          work: async () => void (await update(id, false)),
        });
        if (isDone) await told(t('oauthApp.updated'));
      },
      async renew({ id, name }) {
        let made: OAuthAppWithSecret | undefined;
        await confirm({
          title: t('oauthApp.renewTitle', { name }),
          body: t('oauthApp.renewBody'),
          action: t('oauthApp.renew'),
          danger: true,
          work: async () => {
            made = await api.send('POST', '/api/oauth_app/admin/:id/secret', { params: { id: String(id) } });
          },
        });
        if (made) onSecret(made);
      },
      async remove({ id, name }) {
        const isDone = await confirm({
          title: t('oauthApp.deleteTitle', { name }),
          body: t('oauthApp.deleteBody'),
          action: t('oauthApp.delete'),
          danger: true,
          work: async () => {
            await api.send('DELETE', '/api/oauth_app/admin/:id', { params: { id: String(id) } });
          },
        });
        if (isDone) await told(t('oauthApp.deleted'));
      },
    };
  }, [t, api, router, confirm, onSecret]);
}
