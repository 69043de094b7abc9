import { useMatches, useRouter } from '@tanstack/react-router';
import { CopyButton } from '@/components/copy-button.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, requestIdOf } from '@/lib/error-text.ts';
import { useFailedReload } from '@/lib/keep-shown.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** Over a page that could not be loaded anew: what it shows is old, why, and the way to try again. */
export function StaleBar() {
  const { t } = useTranslation();
  const router = useRouter();
  const routeIds = useMatches({ select: (matches) => matches.map(({ routeId }) => routeId) });
  const error = useFailedReload(routeIds);
  const requestId = requestIdOf(error);
  return (
    <div role="alert" className="empty:hidden">
      {error && (
        <Notice
          tone="bad"
          className="mb-3 items-center"
          end={
            <span className="flex gap-1">
              {requestId && (
                <CopyButton size="sm" variant="ghost" text={requestId} label={t('app.copyRequestId')} />
              )}
              <Button size="sm" onClick={() => void router.invalidate()}>
                {t('app.retry')}
              </Button>
            </span>
          }
        >
          <strong className="font-semibold">{t('table.refreshFailed')}</strong> {errorText(error, t)}{' '}
          {requestId && <code className="font-mono text-xs">{requestId}</code>}
          <span className="block text-muted">{t('table.stale')}</span>
        </Notice>
      )}
    </div>
  );
}
