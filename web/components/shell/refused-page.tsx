import { useLocation } from '@tanstack/react-router';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import type { ApiError } from '@/lib/api-error.ts';
import { errorText } from '@/lib/error-text.ts';
import { useBoot } from '@/lib/page-context.ts';
import { roleText } from '@/lib/role-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { PageFrame } from './page-frame.tsx';

const isForbidden = ({ status }: ApiError): boolean => status === 403;

export const isNowhere = ({ code, status }: ApiError): boolean => code === 'NOT_FOUND' || status === 404;

/** What a refusal says: its heading, and the server's reason. */
export function useRefusal(error: ApiError): { title: string; reason: string } {
  const { t } = useTranslation();
  return {
    title: t(isForbidden(error) ? 'error.forbidden' : 'error.refused'),
    reason: errorText(error, t),
  };
}

/** In the place of a page that a rule refuses: why, who can change it, and the ways on. */
export function RefusedPage({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const { pathname, searchStr } = useLocation();
  const { title, reason } = useRefusal(error);
  return (
    <PageFrame>
      <div className="max-w-[560px] pt-8 max-md:pt-4">
        {isForbidden(error) && <p className="font-mono text-sm text-muted">403</p>}
        <h1 tabIndex={-1} className="my-1 text-xl font-semibold">
          {title}
        </h1>
        <p className="text-muted">{reason}</p>
        {isForbidden(error) && user && (
          <p className="text-muted">{t('error.forbiddenHelp', { have: roleText(user.role, t) })}</p>
        )}
        <div className="mt-5 flex flex-wrap gap-2">
          <a href="/" className={buttonVariants({ variant: 'primary' })}>
            {t('app.home')}
          </a>
          {!isForbidden(error) && searchStr !== '' && (
            <a href={pathname} className={buttonVariants()}>
              {t('error.withoutFilters')}
            </a>
          )}
          {!isForbidden(error) && (
            <Button variant="ghost" onClick={onRetry}>
              {t('app.retry')}
            </Button>
          )}
        </div>
      </div>
    </PageFrame>
  );
}
