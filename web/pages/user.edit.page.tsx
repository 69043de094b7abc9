/** Changes an account of somebody else. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { QuotaField } from '@/components/quota-field.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Textarea } from '@/components/ui/input.tsx';
import { Select } from '@/components/ui/select.tsx';
import { BoundAccounts } from '@/features/user/bound-accounts.tsx';
import { CancelledUser } from '@/features/user/cancelled-user.tsx';
import { bodyOf, type UserValues, userErrors, valuesOf } from '@/features/user/form.ts';
import { NameFields } from '@/features/user/name-fields.tsx';
import { PasskeysOfUser } from '@/features/user/passkeys.tsx';
import { TwoFactorOfUser } from '@/features/user/two-factor.tsx';
import { isCancelled } from '@/features/user/user.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/user/edit/$id');
const list = getRouteApi('/_console/user');

export function UserEditDrawer() {
  const { user } = route.useLoaderData();
  // Another account is another form.
  return isCancelled(user) ? <CancelledUser user={user} /> : <EditForm key={user.id} />;
}

function EditForm() {
  const { t } = useTranslation();
  const { user, hasTwoFactor, passkeys } = route.useLoaderData();
  const { groups } = list.useLoaderData();
  const api = useApi();
  const router = useRouter();
  const close = useCloseDrawer();
  const [initial] = useState(() => valuesOf(user));
  const [saved, setSaved] = useState(false);
  const form = useForm<UserValues>({
    initial,
    validate: (values) => userErrors(values, t),
    submit: async (values) => {
      await api.send('PUT', '/api/user/', { body: { id: user.id, ...bodyOf(values, initial) } });
      setSaved(true);
      notify({ tone: 'ok', text: t('user.updated') });
      await router.invalidate();
      close();
    },
  });
  const { group } = form.values;
  return (
    <DrawerForm
      title={t('user.editTitle')}
      sub={`${user.username} · #${user.id}`}
      form={form}
      submitLabel={t('app.save')}
      saved={saved}
      onClose={close}
    >
      <NameFields form={form} passwordHelp={t('user.passwordKeeps')} />
      <Field id={form.id('group')} label={t('user.group')}>
        <Select {...form.text('group')}>
          {groups.map((name) => (
            <option key={name}>{name}</option>
          ))}
          {/* A group that is gone meanwhile still shows, so that saving does not change it unseen. */}
          {!groups.includes(group) && <option>{group}</option>}
        </Select>
      </Field>
      <QuotaField form={form} name="quota" label={t('user.left')} help={t('user.quotaHelp')} />
      <Field id={form.id('remarks')} label={t('user.remarks')} error={form.error('remarks')}>
        <Textarea {...form.text('remarks')} rows={3} />
      </Field>
      <TwoFactorOfUser user={user} isOn={hasTwoFactor} />
      <PasskeysOfUser user={user} passkeys={passkeys} />
      <BoundAccounts user={user} />
    </DrawerForm>
  );
}
