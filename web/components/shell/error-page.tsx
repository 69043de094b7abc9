/** In the place of a page that failed. */
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorPanel } from '@/components/error-panel.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { NoPermissionPage } from './no-permission-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { PageFrame } from './page-frame.tsx';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return <NotFoundPage />;
  if (error instanceof ApiError && error.status === 403) return <NoPermissionPage error={error} />;
  const retry = () => void router.invalidate().then(reset);
  return (
    <PageFrame>
      <h1 className="sr-only">{t('error.page')}</h1>
      <ErrorPanel title={t('error.page')} error={error} onRetry={retry} />
    </PageFrame>
  );
}
