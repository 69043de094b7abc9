/** Signing in. */

import { safeNext } from '@core/next-path.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { GuestColumn, GuestShell } from '@/components/shell/guest-shell.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { SecondStep } from '@/features/sign-in/second-step.tsx';
import { ThirdPartyButtons } from '@/features/sign-in/third-party-buttons.tsx';
import { SignInWays, useWay } from '@/features/sign-in/ways.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/login');

export function LoginPage() {
  const { t } = useTranslation();
  const { second } = route.useSearch();
  if (second) {
    return (
      <GuestShell>
        <GuestColumn title={t('second.title')}>
          <SecondStep by={second} />
        </GuestColumn>
      </GuestShell>
    );
  }
  return (
    <GuestShell>
      <GuestColumn title={t('login.title')}>
        <ArrivalNotice />
        <SignInWays />
        <OtherWays />
        <ThirdPartyButtons />
      </GuestColumn>
    </GuestShell>
  );
}

/** For who has no account yet, or no password any more. In Chinese the top bar alone leads to registration. */
function OtherWays() {
  const { t } = useTranslation();
  const { status, locale } = useBoot();
  const { next, aff } = route.useSearch();
  const { shown } = useWay();
  const isRegistrationOpen = status.WebRegisterEnabled || status.enabled_phone_register;
  return (
    <p className="mt-5 flex flex-wrap justify-between gap-x-4 gap-y-2 text-sm text-muted">
      {shown === 'password' && (
        <Link to="/reset" className="text-accent-text underline">
          {t('reset.forgot')}
        </Link>
      )}
      {isRegistrationOpen && locale !== 'zh' && (
        <span>
          {t('register.noAccount')}{' '}
          <Link to="/register" search={{ next, aff }} className="text-accent-text underline">
            {t('register.title')}
          </Link>
        </span>
      )}
    </p>
  );
}

/** Why one stands here, when it was not one's own idea. */
function ArrivalNotice() {
  const { t } = useTranslation();
  const { next, expired, left, registered } = route.useSearch();
  if (left || registered) {
    return (
      <Notice tone="ok" className="mb-5">
        {t(left ? 'shell.loggedOut' : 'register.done')}
      </Notice>
    );
  }
  if (!expired) return null;
  const path = next === undefined ? '' : safeNext(next, '');
  return (
    <Notice className="mb-5">
      <span>{t('login.expired')}</span>
      {path && <ReturnNote path={path} />}
    </Notice>
  );
}

/** The path stands out in its sentence, wherever the language puts it. */
function ReturnNote({ path }: { path: string }) {
  const { t } = useTranslation();
  const [before, after] = t('login.returnTo', { path: '\n' }).split('\n');
  return (
    <span className="[:lang(en)_&]:ml-1">
      {before}
      <code className="font-mono break-all">{path}</code>
      {after}
    </span>
  );
}
