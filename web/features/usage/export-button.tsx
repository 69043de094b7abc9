/** The table of the dashboard as a sheet: of the time that is shown, though it has gone on meanwhile, and in its order. */
import type { UsageOrder } from '@modules/usage/facts.ts';
import { SheetButton } from '@/components/sheet-button.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isOwn, type Usage } from './load.ts';

interface ExportButtonProps {
  usage: Usage;
  seesAll: boolean;
  user: string | undefined;
  sort: UsageOrder | undefined;
}

export function ExportButton({ usage, seesAll, user, sort }: ExportButtonProps) {
  const { t } = useTranslation();
  const api = useApi();
  const { dimension, metric, step, from, to, time_zone } = usage;
  const query = { metric, step, start_timestamp: from, end_timestamp: to, time_zone, sort };
  return (
    <SheetButton
      label={t('log.export')}
      file="dashboard.csv"
      fetch={() =>
        seesAll
          ? api.file('/api/data/usage/export', { query: { ...query, dimension, username: user } })
          : api.file('/api/data/self/usage/export', {
              query: { ...query, dimension: isOwn(dimension) ? dimension : undefined },
            })
      }
      failed={t('log.exportFailed')}
    />
  );
}
