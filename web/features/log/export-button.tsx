import { Download } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import type { Query } from '@/lib/api.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { beginWork, useWorks } from '@/lib/works.ts';
import { exportLog } from './export.ts';

const KIND = 'log-export';

/** `name`: of the file, without its ending. How far it is stands in the top bar, also when the page is left. */
export function ExportButton({ query, name }: { query: Query; name: string }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const isUnderWay = useWorks().some(({ kind }) => kind === KIND);
  const run = () =>
    beginWork({ kind: KIND, title: t('work.logExport'), t }, exportLog({ query, name, userId: user?.id }, t));
  return (
    <Button busy={isUnderWay} onClick={() => void run()}>
      <Download aria-hidden="true" />
      {t('log.export')}
    </Button>
  );
}
