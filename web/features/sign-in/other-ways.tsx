import { getRouteApi, Link } from '@tanstack/react-router';
import { Gap } from '@/components/gap.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useWay } from './ways.tsx';

const route = getRouteApi('/login');

/** For who has no account yet, or no password any more. In Chinese the top bar alone leads to registration. */
export function OtherWays() {
  const { t } = useTranslation();
  const { status, locale } = useBoot();
  const { next, aff } = route.useSearch();
  const { shown } = useWay();
  const isRegistrationOpen = status.WebRegisterEnabled || status.enabled_phone_register;
  return (
    <p className="mt-5 flex flex-wrap justify-between gap-x-4 gap-y-2 text-sm text-muted">
      {/* Who is on his way to an application would lose it there. */}
      {shown === 'password' && !next?.startsWith('/oauth/login') && (
        <Link to="/reset" className="hit text-accent-text underline">
          {t('reset.forgot')}
        </Link>
      )}
      {isRegistrationOpen && locale !== 'zh' && (
        <span>
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
