import { useLocation, useRouter } from '@tanstack/react-router';
import { buttonVariants } from '@/components/ui/button.tsx';
import { navFor } from '@/lib/nav.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { PageFrame } from './page-frame.tsx';

/** The path that leads nowhere, and the pages that are there. */
export function NotFoundPage() {
  const { t } = useTranslation();
  const { user } = useBoot();
  const router = useRouter();
  const { pathname } = useLocation();
  const pages = user ? navFor(router).flatMap(([, items]) => items) : [];
  return (
    <PageFrame>
      <div className="max-w-[560px] pt-8 max-md:pt-4">
        <p className="font-mono text-sm break-all text-muted">404 {pathname}</p>
        <h1 tabIndex={-1} className="my-1 text-xl font-semibold">
          {t('notFound.title')}
        </h1>
        <p className="mb-5 text-muted">{t('notFound.help')}</p>
        <a href="/" className={buttonVariants({ variant: 'primary' })}>
          {t('app.home')}
        </a>
        {pages.length > 0 && (
          <ul className="mt-6 border-t border-line">
            {pages.map(({ path, icon: Icon, label }) => (
              <li key={path}>
                <a
                  href={path}
                  className="flex min-h-11 items-center gap-3 border-b border-line text-text no-underline hover:bg-hover"
                >
                  <Icon className="text-muted" aria-hidden="true" />
                  {t(label)}
                  <span className="ml-auto font-mono text-sm text-muted max-md:hidden">{path}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </PageFrame>
  );
}
