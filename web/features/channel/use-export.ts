import { getRouteApi } from '@tanstack/react-router';
import { saveText } from '@/lib/download.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel');

export function useExport(): () => void {
  const { t } = useTranslation();
  const { query } = route.useLoaderData();
  const api = useApi();
  return () => {
    void (async () => {
      try {
        const { allChannels, csvOf } = await import('./csv.ts');
        saveText('channels.csv', csvOf(await allChannels(api, { ...query, tag_mode: undefined })));
      } catch (error) {
        notify(failureNotice(error, t));
      }
    })();
  };
}
