/** Where the link of the reset mail leads: sets a new password and shows it. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyField } from '@/components/copy-field.tsx';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCountdown } from '@/lib/use-countdown.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/user/reset');
const LOCK_SEC = 30;

export function UserResetPage() {
  const { t } = useTranslation();
  const { email, token } = route.useSearch();
  return (
    <GuestColumn title={t('reset.confirmTitle')}>
      {email && token ? <Confirm email={email} token={token} /> : <BadLink text={t('reset.noLink')} />}
    </GuestColumn>
  );
}

function Confirm({ email, token }: { email: string; token: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const { left, start } = useCountdown('reset-confirm');
  const [password, setPassword] = useState('');
  const confirm = useAction(async () => {
    start(LOCK_SEC);
    setPassword(await api.send('POST', '/api/user/reset', { body: { email, token } }));
  });
  if (password !== '') {
    return (
      <div className="grid gap-5" role="status">
        <Notice tone="ok">{t('reset.done')}</Notice>
        <CopyField label={t('reset.newPassword')} value={password} help={t('reset.newPasswordHelp')} />
        <Link to="/login" className={buttonVariants({ variant: 'primary', size: 'lg' })}>
          {t('login.title')}
        </Link>
      </div>
    );
  }
  if (confirm.error !== null) return <BadLink text={errorText(confirm.error, t)} />;
  return (
    <div className="grid gap-5">
      <p className="-mt-3 text-sm text-muted">{t('reset.confirmHelp')}</p>
      <p className="font-mono text-sm break-all">{email}</p>
      <Button
        variant="primary"
        size="lg"
        className="tabular-nums"
        busy={confirm.pending}
        disabled={left > 0 && !confirm.pending}
        onClick={() => void confirm.run()}
      >
        {left > 0 && !confirm.pending ? t('register.again', { seconds: left }) : t('reset.confirm')}
      </Button>
    </div>
  );
}

function BadLink({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-5">
      <div role="alert">
        <Notice tone="bad">{text}</Notice>
      </div>
      <Link to="/reset" className={buttonVariants({ variant: 'primary', size: 'lg' })}>
        {t('reset.askAgain')}
      </Link>
    </div>
  );
}
