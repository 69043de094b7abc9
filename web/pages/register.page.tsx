/** Making an account. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { Gap } from '@/components/gap.tsx';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { PhoneRegister } from '@/features/register/phone-register.tsx';
import { RegisterForm } from '@/features/register/register-form.tsx';
import { ThirdPartyButtons } from '@/features/sign-in/third-party-buttons.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/register');

export function RegisterPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  return (
    <GuestColumn title={t('register.title')}>
      <OpenForm />
      <p className="mt-5 text-center text-sm text-muted">
        {t('register.haveAccount')}
        <Gap />
        <Link
          to="/login"
          search={{ next: search.next, aff: search.aff }}
          className="hit text-accent-text underline"
        >
          {t('login.title')}
        </Link>
      </p>
      <ThirdPartyButtons />
    </GuestColumn>
  );
}

/** Where accounts can be made by phone, that is the way. */
function OpenForm() {
  const { t } = useTranslation();
  const { status } = useBoot();
  if (status.enabled_phone_register) return <PhoneRegister />;
  if (status.WebRegisterEnabled) return <RegisterForm isEmailNeeded={status.email_verification} />;
  return <Notice tone="warn">{t('register.closed')}</Notice>;
}
