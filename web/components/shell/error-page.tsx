/** In the place of a page that failed, or in the drawer that it was to be. */
import { type ErrorComponentProps, useHydrated, useMatch, useRouter } from '@tanstack/react-router';
import { ErrorPanel } from '@/components/error-panel.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { PageFrame } from './page-frame.tsx';
import { RefusedPage, useRefusal } from './refused-page.tsx';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const { pathname, staticData } = useMatch({ strict: false });
  const isHydrated = useHydrated();
  const refused = error instanceof ApiError && isRefusal(error) ? error : null;
  if (refused && staticData.drawer && isHydrated) {
    // A drawer lies over its list: below the list nobody would look for what became of it.
    return <RefusedDrawer error={refused} listPath={listOf(pathname)} />;
  }
  if (refused && isNowhere(refused)) return <NotFoundPage />;
  const retry = () => void router.invalidate().then(reset);
  if (refused) return <RefusedPage error={refused} onRetry={retry} />;
  return <FailedPage title={t(staticData.failed ?? 'error.page')} error={error} onRetry={retry} />;
}

const isNowhere = ({ code, status }: ApiError): boolean => code === 'NOT_FOUND' || status === 404;

/** The server understood and said no; anything else is a fault, or a moment without room. */
const isRefusal = ({ status }: ApiError): boolean =>
  status === 200 || (status >= 400 && status < 500 && status !== 429);

/** `/token/edit/7` → `/token`. */
const listOf = (path: string): string => `/${path.split('/')[1] ?? ''}`;

function RefusedDrawer({ error, listPath }: { error: ApiError; listPath: string }) {
  const { t } = useTranslation();
  const close = useCloseDrawer(listPath);
  const refusal = useRefusal(error);
  const title = isNowhere(error) ? t('notFound.title') : refusal.title;
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={title} />
        <DrawerBody>
          <p className="mb-5 text-muted">{isNowhere(error) ? t('notFound.gone') : refusal.reason}</p>
          <Button variant="primary" onClick={close}>
            {t('app.back')}
          </Button>
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}

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
