/** The filtered record as a sheet. Asked for as every call is, so that it works where a plain link proves no origin. */
import { Download } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import type { Query } from '@/lib/api.ts';
import { saveFile } from '@/lib/download.ts';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function ExportButton({ query }: { query: Query }) {
  const { t } = useTranslation();
  const api = useApi();
  const work = useAction(async () => {
    try {
      saveFile('admin-actions.csv', await api.file('/api/admin_action/export', { query }));
    } catch (error) {
      notify(failureNotice(error, t, errorText(error, t, t('adminLog.exportFailed'))));
    }
  });
  return (
    <Button busy={work.pending} onClick={() => void work.run()}>
      <Download aria-hidden="true" />
      {t('adminLog.export')}
    </Button>
  );
}
