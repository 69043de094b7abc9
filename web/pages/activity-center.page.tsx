/** Balances, the fuel pack, invitations and activities of a user. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { OwnSiteNotice } from '@/components/own-site-notice.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { Balances } from '@/features/activity/balances.tsx';
import { FuelPackPanel } from '@/features/activity/fuel-pack-panel.tsx';
import { InvitePanel } from '@/features/activity/invite-panel.tsx';
import { OpenActivities } from '@/features/activity/open-activities.tsx';
import { useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/activity-center');

export function ActivityCenterPage() {
  const { t } = useTranslation();
  const { account, fuelPack, activities, terms, invited } = route.useLoaderData();
  const acts = useMay('act');
  return (
    <>
      <PageHeader
        title={t('nav.activityCenter')}
        help={t('activity.centerHelp')}
        primary={
          acts && (
            <Link to="/topup" className={buttonVariants({ variant: 'primary' })}>
              {t('activity.topUp')}
            </Link>
          )
        }
      />
      <OwnSiteNotice />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 md:grid-cols-2">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <Balances account={account} />
          <FuelPackPanel status={fuelPack} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <InvitePanel account={account} terms={terms} invited={invited} />
          <OpenActivities activities={activities} />
        </div>
      </div>
    </>
  );
}
