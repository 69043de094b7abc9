/** Asks for a mail with a link that sets a new password. */
import { Link } from '@tanstack/react-router';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { ResetForm } from '@/features/sign-in/reset-form.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

export function ResetPage() {
  const { t } = useTranslation();
  return (
    <GuestColumn title={t('reset.title')}>
      <ResetForm />
      <p className="mt-5 text-center text-sm">
        <Link to="/login" className="hit text-accent-text underline">
          {t('reset.back')}
        </Link>
      </p>
    </GuestColumn>
  );
}
