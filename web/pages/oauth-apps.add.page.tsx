/** Registers an application, then shows what has to be entered there. */
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import type { OAuthAppWithSecret } from '@/features/oauth-app/app.ts';
import { OAuthAppFields } from '@/features/oauth-app/fields.tsx';
import { appErrors, bodyOf, emptyApp, type OAuthAppValues } from '@/features/oauth-app/form.ts';
import { SecretDrawer } from '@/features/oauth-app/secret-drawer.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function OAuthAppAddDrawer() {
  const { t } = useTranslation();
  const api = useApi();
  const close = useCloseDrawer();
  const [made, setMade] = useState<OAuthAppWithSecret | null>(null);
  const form = useForm<OAuthAppValues>({
    initial: emptyApp,
    validate: (values) => appErrors(values, t),
    submit: async (values) => {
      const body = { ...bodyOf(values), confidential: values.confidential };
      setMade(await api.send('POST', '/api/oauth_app/admin/', { body }));
    },
  });
  if (made) return <SecretDrawer app={made} title={t('oauthApp.madeTitle')} onClose={close} />;
  return (
    <DrawerForm title={t('oauthApp.newTitle')} form={form} submitLabel={t('oauthApp.create')} onClose={close}>
      <OAuthAppFields form={form} asksKind />
    </DrawerForm>
  );
}
