/** Makes an account for somebody. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { type NewUserValues, newUserErrors } from '@/features/user/form.ts';
import { NameFields } from '@/features/user/name-fields.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function UserAddDrawer() {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const [saved, setSaved] = useState(false);
  const form = useForm<NewUserValues>({
    initial: { username: '', displayName: '', password: '' },
    validate: (values) => newUserErrors(values, t),
    submit: async ({ username, displayName, password }) => {
      await api.send('POST', '/api/user/', {
        body: {
          username: username.trim(),
          display_name: displayName.trim(),
          password,
        },
      });
      setSaved(true);
      notify({ tone: 'ok', text: t('user.created.done', { name: username.trim() }) });
      await router.invalidate();
      close();
    },
  });
  return (
    <DrawerForm
      title={t('user.newTitle')}
      form={form}
      submitLabel={t('user.create')}
      saved={saved}
      onClose={close}
    >
      <NameFields form={form} passwordHelp={t('register.passwordHelp')} isNew />
    </DrawerForm>
  );
}
