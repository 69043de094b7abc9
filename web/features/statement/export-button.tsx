/** The filtered statement as a sheet. Asked for as every call is, so that it works where a plain link proves no origin. */
import { Download } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import type { Query } from '@/lib/api.ts';
import { saveFile } from '@/lib/download.ts';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** `user`: whose it is, by id; one's own without. */
export function ExportButton({ query, user }: { query: Query; user: string | undefined }) {
  const { t } = useTranslation();
  const api = useApi();
  const work = useAction(async () => {
    try {
      const file = user
        ? await api.file('/api/user/:id/statement/export', { params: { id: user }, query })
        : await api.file('/api/user/statement/export', { query });
      saveFile('statement.csv', file);
    } catch (error) {
      notify(failureNotice(error, t, errorText(error, t, t('statement.exportFailed'))));
    }
  });
  return (
    <Button busy={work.pending} onClick={() => void work.run()}>
      <Download aria-hidden="true" />
      {t('statement.export')}
    </Button>
  );
}
