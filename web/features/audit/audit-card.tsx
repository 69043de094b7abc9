/** How the last audit of the books came out: one line while they balance, and what is wrong when they do not. */
import { formatNumber } from '@core/money.ts';
import { HOUR_SEC } from '@core/time.ts';
import { useEffect, useState } from 'react';
import { Time } from '@/components/time.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useNow } from '@/lib/clock.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** It runs every hour. */
const LATE_SEC = 2 * HOUR_SEC;

type Audit = NonNullable<DataOf<'get', '/api/audit'>>;

/** Asked for by the browser: nothing on the page waits for it, and without it nothing is missing. */
export function AuditCard() {
  const api = useApi();
  const [audit, setAudit] = useState<Audit | null>(null);
  useEffect(() => {
    let isShown = true;
    api
      .get('/api/audit')
      .then((last) => isShown && setAudit(last))
      .catch(() => undefined);
    return () => {
      isShown = false;
    };
  }, [api]);
  return audit && <AuditNotice audit={audit} className="mb-3" />;
}

export function AuditNotice({ audit, className }: { audit: Audit; className?: string }) {
  const { t } = useTranslation();
  const { checked_at, checks, found, findings, unfinished } = audit;
  const isWrong = found > 0;
  const isLate = useNow() - checked_at > LATE_SEC;
  const tone = isWrong ? 'bad' : unfinished.length > 0 || isLate ? 'warn' : 'ok';
  return (
    <Notice tone={tone} role="status" className={className} end={<Time at={checked_at} relative />}>
      {isWrong
        ? t('audit.wrong', { count: found, n: formatNumber(found) })
        : unfinished.length > 0
          ? t('audit.unfinished', { count: unfinished.length })
          : t(isLate ? 'audit.late' : 'audit.well', { count: checks })}
      {findings.length > 0 && (
        <ul className="mt-1 grid gap-0.5 text-xs">
          {findings.map((finding) => (
            <li key={`${finding.check} ${finding.id}`} className="break-words">
              {t('audit.finding', {
                check: finding.check,
                id: finding.id,
                found: formatNumber(finding.found),
                expected: formatNumber(finding.expected),
              })}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
