/** In the place of a page that failed, or in the drawer that it was to be. */
import { type ErrorComponentProps, useHydrated, useMatch, useRouter } from '@tanstack/react-router';
import { ErrorPanel } from '@/components/error-panel.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { PageFrame } from './page-frame.tsx';
import { isNowhere, RefusedPage } from './refused-page.tsx';

/** Drawers come with the pages that have any; a page without one never fetches them. */
const RefusedDrawer = late(() => import('./refused-drawer.tsx').then((module) => module.RefusedDrawer));

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const { staticData } = useMatch({ strict: false });
  const isHydrated = useHydrated();
  const refused = error instanceof ApiError && isRefusal(error) ? error : null;
  if (refused && staticData.drawer && isHydrated) {
    // A drawer lies over its list: below the list nobody would look for what became of it.
    return <RefusedDrawer error={refused} />;
  }
  if (refused && isNowhere(refused)) return <NotFoundPage />;
  const retry = () => void router.invalidate().then(reset);
  if (refused) return <RefusedPage error={refused} onRetry={retry} />;
  return <FailedPage title={t(staticData.failed ?? 'error.page')} error={error} onRetry={retry} />;
}

/** The server understood and said no; anything else is a fault, or a moment without room. */
const isRefusal = ({ status }: ApiError): boolean =>
  status === 200 || (status >= 400 && status < 500 && status !== 429);

interface FailedPageProps {
  title: string;
  error: unknown;
  onRetry: () => void;
}

function FailedPage({ title, error, onRetry }: FailedPageProps) {
  const { t } = useTranslation();
  return (
    <PageFrame>
      <h1 className="sr-only">{title}</h1>
      <ErrorPanel title={title} error={error} onRetry={onRetry}>
        <a href="/" className={buttonVariants({ variant: 'ghost' })}>
          {t('app.home')}
        </a>
      </ErrorPanel>
    </PageFrame>
  );
}
