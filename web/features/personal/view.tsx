import { OwnSiteNotice } from '@/components/own-site-notice.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { PersonalAnchors } from './anchors.tsx';
import type { Personal } from './personal.ts';
import { PersonalSections } from './sections.tsx';

/** The whole page: for everyone at `/personal`, and at `/setting` for who has nothing else to set there. */
export function PersonalView({ personal }: { personal: Personal }) {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t('personal.title')} help={t('personal.help')} />
      <OwnSiteNotice />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 md:grid-cols-[150px_minmax(0,880px)]">
        <nav aria-label={t('personal.parts')} className="max-md:hidden">
          <div className="sticky top-20 border-l border-line">
            <PersonalAnchors />
          </div>
        </nav>
        <PersonalSections personal={personal} />
      </div>
    </>
  );
}
