import { getRouteApi, Link } from '@tanstack/react-router';
import { Gap } from '@/components/gap.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { offersRegistration } from '@/lib/registration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useWay } from './ways.tsx';

const route = getRouteApi('/login');

/** For who has no account yet, or no password any more. In Chinese the top bar leads to registration where it has room. */
export function OtherWays() {
  const { t } = useTranslation();
  const { status, locale } = useBoot();
  const { next, aff } = route.useSearch();
  const { shown } = useWay();
  // The link that sets a new password goes by mail.
  const isResetOpen = shown === 'password' && status.mail_enabled && status.server_address !== '';
  return (
    <p className="mt-5 flex flex-wrap justify-between gap-x-4 gap-y-2 text-sm text-muted">
      {/* Who is on his way to an application would lose it there. */}
      {isResetOpen && !next?.startsWith('/oauth/login') && (
        <Link to="/reset" className="hit text-accent-text underline">
          {t('reset.forgot')}
        </Link>
      )}
      {offersRegistration(status) && (
        <span className={locale === 'zh' ? 'md:hidden' : undefined}>
          {t('register.noAccount')}
          <Gap />
          <Link to="/register" search={{ next, aff }} className="hit text-accent-text underline">
            {t('register.title')}
          </Link>
        </span>
      )}
    </p>
  );
}
