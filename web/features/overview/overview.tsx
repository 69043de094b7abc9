/** `/` for those who are signed in: what there is to do first, one's own account, and the site for who keeps it. */
import { PageHeader } from '@/components/page-header.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import type { OverviewData } from '@/features/home/load.ts';
import { SiteContent } from '@/features/home/site-content.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { FirstSteps } from './first-steps.tsx';
import { ModelShares, shareColours } from './model-shares.tsx';
import { OwnFigures } from './own-figures.tsx';
import { RecentCalls } from './recent-calls.tsx';
import { SitePart } from './site-part.tsx';

export function Overview({ own, recent, site, notice }: OverviewData) {
  const { t } = useTranslation();
  const usage = own.usage === 'busy' ? null : own.usage;
  return (
    <>
      <PageHeader title={t('nav.overview')} />
      <div className="grid max-w-[1200px] grid-cols-[minmax(0,1fr)] gap-6">
        {notice && (
          <Notice role="status">
            <SiteContent content={notice} label={t('home.notice')} />
          </Notice>
        )}
        {own.steps.some(({ done }) => !done) && <FirstSteps own={own} />}
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <OwnFigures own={own} />
          {own.usage === 'busy' && <p className="text-sm text-muted">{t('overview.ownBusy')}</p>}
          {usage && <ModelShares usage={usage} title={t('overview.ownShare')} />}
          {recent.length > 0 && <RecentCalls calls={recent} />}
        </div>
        {site === 'busy' ? (
          <p className="text-sm text-muted">{t('overview.siteBusy')}</p>
        ) : (
          site && <SitePart site={site} beside={usage ? shareColours(usage) : undefined} />
        )}
      </div>
    </>
  );
}
