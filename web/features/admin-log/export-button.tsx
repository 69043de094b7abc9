/** The filtered record as a sheet. */
import { SheetButton } from '@/components/sheet-button.tsx';
import type { Query } from '@/lib/api.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function ExportButton({ query }: { query: Query }) {
  const { t } = useTranslation();
  const api = useApi();
  return (
    <SheetButton
      label={t('adminLog.export')}
      file="admin-actions.csv"
      fetch={() => api.file('/api/admin_action/export', { query })}
      failed={t('adminLog.exportFailed')}
    />
  );
}
