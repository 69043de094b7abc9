/** In the place of a page that failed, or in the drawer that it was to be. */
import { type ErrorComponentProps, useHydrated, useMatch, useRouter } from '@tanstack/react-router';
import { ErrorPanel } from '@/components/error-panel.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FailedDrawer, RefusedDrawer } from './failed-drawer.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { PageFrame } from './page-frame.tsx';
import { isNowhere, RefusedPage } from './refused-page.tsx';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const { staticData } = useMatch({ strict: false });
  const isHydrated = useHydrated();
  const refused = error instanceof ApiError && isRefusal(error) ? error : null;
  const retry = () => void router.invalidate().then(reset);
  const title = t(staticData.failed ?? 'error.page');
  if (staticData.drawer && isHydrated) {
    // A drawer lies over its list: below the list nobody would look for what became of it.
    return refused ? (
      <RefusedDrawer error={refused} />
    ) : (
      <FailedDrawer title={title} error={error} onRetry={retry} />
    );
  }
  if (refused && isNowhere(refused)) return <NotFoundPage />;
  if (refused) return <RefusedPage error={refused} onRetry={retry} />;
  return <FailedPage title={title} error={error} onRetry={retry} />;
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
