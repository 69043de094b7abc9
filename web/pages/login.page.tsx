/** Signing in. */

import { getRouteApi } from '@tanstack/react-router';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { ArrivalNotice } from '@/features/sign-in/arrival-notice.tsx';
import { OtherWays } from '@/features/sign-in/other-ways.tsx';
import { PasskeyAlone } from '@/features/sign-in/passkey-step.tsx';
import { SecondStep } from '@/features/sign-in/second-step.tsx';
import { ThirdPartyButtons } from '@/features/sign-in/third-party-buttons.tsx';
import { SignInWays } from '@/features/sign-in/ways.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/login');

export function LoginPage() {
  const { t } = useTranslation();
  const { second } = route.useSearch();
  if (second) {
    return (
      <GuestColumn title={t(second === 'passkey' ? 'passkey.step' : 'second.title')}>
        {second === 'passkey' ? <PasskeyAlone /> : <SecondStep by={second} />}
      </GuestColumn>
    );
  }
  return (
    <GuestColumn title={t('login.title')}>
      <ArrivalNotice />
      <SignInWays />
      <OtherWays />
      <ThirdPartyButtons />
    </GuestColumn>
  );
}
