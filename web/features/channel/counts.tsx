/** How many channels there are by status; each count leads to its channels. */
import { formatNumber } from '@core/money.ts';
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment } from 'react';
import { SearchLink } from '@/components/search-link.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel');

const countedStates = [
  { status: CHANNEL_STATUS.enabled, text: 'channel.countOn' },
  { status: CHANNEL_STATUS.disabled, text: 'channel.countOff' },
  { status: CHANNEL_STATUS.autoDisabled, text: 'channel.countAuto' },
] as const;

export function Counts() {
  const { t } = useTranslation();
  const { page } = route.useLoaderData();
  const { all = 0, ...counts } = page.status_counts;
  return (
    <>
      {t('channel.count', { count: all, n: formatNumber(all) })}
      {countedStates.map(({ status, text }) => {
        const count = counts[status] ?? 0;
        return (
          count > 0 && (
            <Fragment key={status}>
              {' · '}
              <SearchLink change={{ status, p: undefined }} className="link">
                {t(text, { count, n: formatNumber(count) })}
              </SearchLink>
            </Fragment>
          )
        );
      })}
    </>
  );
}
