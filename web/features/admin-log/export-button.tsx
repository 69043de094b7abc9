/** The filtered record as a sheet. Asked for as every call is, so that it works where a plain link proves no origin. */
import { Download } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import { type Query, withQuery } from '@/lib/api.ts';
import { saveText } from '@/lib/download.ts';
import { notify } from '@/lib/notify.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function ExportButton({ query }: { query: Query }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const work = useAction(async () => {
    const response = await fetch(withQuery('/api/admin_action/export', query), {
      headers: { 'new-api-user': String(user?.id ?? '') },
      cache: 'no-store',
    }).catch(() => null);
    const isSheet = response?.headers.get('content-type')?.startsWith('text/csv') === true;
    if (response && isSheet) saveText('admin-actions.csv', await response.text());
    else notify({ tone: 'bad', text: t('adminLog.exportFailed') });
  });
  return (
    <Button busy={work.pending} onClick={() => void work.run()}>
      <Download aria-hidden="true" />
      {t('adminLog.export')}
    </Button>
  );
}
