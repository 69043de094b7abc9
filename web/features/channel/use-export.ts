import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { saveText } from '@/lib/download.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { beginWork } from '@/lib/works.ts';

const route = getRouteApi('/_console/channel');

const FILE = 'channels.csv';

/** How far it is stands in the top bar, also when the page is left. */
export function useExport(): () => void {
  const { t } = useTranslation();
  const { query } = route.useLoaderData();
  const api = useApi();
  return () =>
    void beginWork({ kind: 'channel-export', title: t('work.channelExport'), t }, async (report, signal) => {
      const { allChannels, csvOf } = await import('./csv.ts');
      const channels = await allChannels(api, { ...query, tag_mode: undefined }, report, signal);
      saveText(FILE, csvOf(channels));
      const count = channels.length;
      return t('work.saved', { file: FILE, count, rows: formatNumber(count) });
    });
}
