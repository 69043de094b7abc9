import { formatDateTime } from '@core/time-text.ts';
import { Download } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import type { Query } from '@/lib/api.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { beginWork, useWorks } from '@/lib/works.ts';
import { exportLog } from './export.ts';
import type { Range } from './range.ts';

const KIND = 'log-export';

/** `usage-2026-05-01_2026-05-31`, as far as the time has ends. */
const fileName = ({ from, to }: Range, timeZone: string): string => {
  const days = [from, to].flatMap((end) =>
    end === undefined ? [] : [formatDateTime(end, timeZone).slice(0, 10)],
  );
  return ['usage', days.join('_')].filter(Boolean).join('-');
};

/** `range`: the time that the query asks for. How far it is stands in the top bar, also when the page is left. */
export function ExportButton({ query, range }: { query: Query; range: Range }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const { user } = useBoot();
  const isUnderWay = useWorks().some(({ kind }) => kind === KIND);
  const name = fileName(range, timeZone);
  const run = () =>
    beginWork({ kind: KIND, title: t('work.logExport'), t }, exportLog({ query, name, userId: user?.id }, t));
  return (
    <Button busy={isUnderWay} onClick={() => void run()}>
      <Download aria-hidden="true" />
      {t('log.export')}
    </Button>
  );
}
