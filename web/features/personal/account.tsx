/** Who one is here, and what one signs in with. */
import { DISPLAY_NAME_MAX, lengthOf } from '@core/account-rules.ts';
import { hasRole } from '@core/roles.ts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Account, SectionProps } from './personal.ts';
import { Row, RowError, ValueLine } from './section.tsx';
import { useTold } from './use-told.ts';

const DeleteDialog = late(() => import('./delete-dialog.tsx').then((module) => module.DeleteDialog));
const EmailDialog = late(() => import('./email-dialog.tsx').then((module) => module.EmailDialog));
const PasswordDialog = late(() => import('./password-dialog.tsx').then((module) => module.PasswordDialog));

type Opened = 'email' | 'password' | 'delete' | null;

export function AccountSection({ personal: { account } }: SectionProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  const isRoot = hasRole(account.role, 'root');
  return (
    <>
      <Row fact label={t('user.username')}>
        <ValueLine
          value={
            <>
              {account.username} <span className="text-muted">#{account.id}</span>
            </>
          }
        >
          <Link to="/user/edit" className={buttonVariants()}>
            {t('user.edit')}
          </Link>
        </ValueLine>
      </Row>
      <Row fact label={t('user.group')} help={t('personal.groupHelp')}>
        <ValueLine value={account.group} />
      </Row>
      <DisplayName account={account} />
      <Row label={t('register.email')} help={t('personal.emailHelp')}>
        <ValueLine value={account.email || <span className="text-muted">{t('personal.notBound')}</span>}>
          <Button onClick={() => setOpened('email')}>
            {t(account.email ? 'personal.changeEmail' : 'personal.bindEmail')}
          </Button>
        </ValueLine>
      </Row>
      <Row label={t('user.password')} help={t('personal.passwordHelp')}>
        <ValueLine value={t(account.has_password ? 'personal.passwordSet' : 'personal.passwordUnset')}>
          <Button onClick={() => setOpened('password')}>
            {t(account.has_password ? 'personal.changePassword' : 'personal.setPassword')}
          </Button>
        </ValueLine>
      </Row>
      <Row
        label={t('personal.delete')}
        help={t(isRoot ? 'personal.deleteRoot' : 'personal.deleteHelp')}
        helpId="delete-account-help"
      >
        <Button
          variant="danger"
          className="justify-self-end"
          disabled={isRoot}
          aria-describedby="delete-account-help"
          onClick={() => setOpened('delete')}
        >
          {t('personal.delete')}
        </Button>
      </Row>
      {opened === 'email' && <EmailDialog account={account} onClose={close} />}
      {opened === 'password' && <PasswordDialog account={account} onClose={close} />}
      {opened === 'delete' && <DeleteDialog account={account} onClose={close} />}
    </>
  );
}

function DisplayName({ account }: { account: Account }) {
  const { t } = useTranslation();
  const api = useApi();
  const told = useTold();
  const form = useForm({
    initial: { name: account.display_name },
    validate: ({ name }) => ({
      name: lengthOf(name.trim()) > DISPLAY_NAME_MAX ? t('user.displayNameLong') : undefined,
    }),
    submit: async ({ name }) => {
      await told(
        () => api.send('PUT', '/api/user/self', { body: { display_name: name.trim() } }),
        t('user.updated'),
      );
    },
  });
  const error = form.error('name');
  return (
    <Row label={t('user.displayName')} htmlFor={form.id('name')} help={t('personal.displayNameHelp')}>
      <form noValidate onSubmit={form.onSubmit} className="flex gap-2">
        <Input {...form.text('name')} autoComplete="nickname" />
        <Button type="submit" busy={form.pending} disabled={form.values.name.trim() === account.display_name}>
          {t('app.save')}
        </Button>
      </form>
      <RowError id={form.id('name')} error={error} />
    </Row>
  );
}
