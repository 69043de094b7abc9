/** Changes one's own profile; behind its drawer lie one's own settings. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { PasswordInput } from '@/components/password-input.tsx';
import { Field } from '@/components/ui/field.tsx';
import type { Account } from '@/features/personal/personal.ts';
import { PersonalView } from '@/features/personal/view.tsx';
import { type SelfValues, selfBodyOf, selfErrors } from '@/features/user/form.ts';
import { NameFields } from '@/features/user/name-fields.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/user/edit');

export function UserSelfPage() {
  const personal = route.useLoaderData();
  return (
    <>
      <PersonalView personal={personal} />
      <UserSelfDrawer user={personal.account} />
    </>
  );
}

function UserSelfDrawer({ user }: { user: Account }) {
  const { t } = useTranslation();
  const api = useApi();
  const close = useCloseDrawer();
  const [saved, setSaved] = useState(false);
  const [initial] = useState<SelfValues>(() => ({
    username: user.username,
    displayName: user.display_name,
    password: '',
    originalPassword: '',
  }));
  const form = useForm<SelfValues>({
    initial,
    validate: (values) => selfErrors(values, user.has_password, t),
    submit: async (values) => {
      await api.send('PUT', '/api/user/self', { body: selfBodyOf(values, initial) });
      setSaved(true);
      // The name in the top bar and the session are of another document now.
      window.location.assign('/personal');
      await new Promise(() => {});
    },
  });
  return (
    <DrawerForm
      title={t('user.selfTitle')}
      sub={`${user.username} · #${user.id}`}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      <NameFields form={form} passwordHelp={t('user.ownPasswordHelp')} />
      {user.has_password && form.values.password !== '' && (
        <Field
          id={form.id('originalPassword')}
          label={t('user.originalPassword')}
          error={form.error('originalPassword')}
        >
          <PasswordInput {...form.text('originalPassword')} autoComplete="current-password" />
        </Field>
      )}
    </DrawerForm>
  );
}
