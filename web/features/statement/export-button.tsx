/** The filtered statement as a sheet. */
import { SheetButton } from '@/components/sheet-button.tsx';
import type { Query } from '@/lib/api.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** `user`: whose it is, by id; one's own without. */
export function ExportButton({ query, user }: { query: Query; user: string | undefined }) {
  const { t } = useTranslation();
  const api = useApi();
  return (
    <SheetButton
      label={t('statement.export')}
      file="statement.csv"
      fetch={() =>
        user
          ? api.file('/api/user/:id/statement/export', { params: { id: user }, query })
          : api.file('/api/user/statement/export', { query })
      }
      failed={t('statement.exportFailed')}
    />
  );
}
