/** Changes an application's registration. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { OAuthAppFields } from '@/features/oauth-app/fields.tsx';
import { appErrors, bodyOf, type OAuthAppValues, valuesOf } from '@/features/oauth-app/form.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/oauth-apps/edit/$id');

export function OAuthAppEditDrawer() {
  const { app } = route.useLoaderData();
  // Another application is another form.
  return <EditForm key={app.id} />;
}

function EditForm() {
  const { t } = useTranslation();
  const { app } = route.useLoaderData();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const [initial] = useState(() => valuesOf(app));
  const [saved, setSaved] = useState(false);
  const form = useForm<OAuthAppValues>({
    initial,
    validate: (values) => appErrors(values, t),
    submit: async (values) => {
      await api.send('PUT', '/api/oauth_app/admin/:id', {
        params: { id: String(app.id) },
        body: bodyOf(values),
      });
      setSaved(true);
      notify({ tone: 'ok', text: t('oauthApp.updated') });
      await router.invalidate();
      close();
    },
  });
  return (
    <DrawerForm
      title={t('oauthApp.editTitle')}
      sub={`${app.name} · ${app.client_id}`}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      <OAuthAppFields form={form} />
    </DrawerForm>
  );
}
