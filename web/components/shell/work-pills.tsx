/** Work of this document in the top bar, on every page: how far it is, and the way to give it up or to look at it. */
import { formatNumber } from '@core/money.ts';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { quarterText } from '@/lib/quarter-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Work } from '@/lib/works.ts';
import { Button } from '../ui/button.tsx';

export function WorkPills({ works }: { works: readonly Work[] }) {
  return works.map((work) => <Pill key={work.kind} work={work} />);
}

function Pill({ work }: { work: Work }) {
  const { t } = useTranslation();
  const { title, place, done, total, cancel } = work;
  const isKnown = total !== null && total > 0;
  const share = isKnown ? Math.min(done / total, 1) : 0;
  const progress = isKnown ? `${formatNumber(done)} / ${formatNumber(total)}` : formatNumber(done);
  const bar = (
    <span
      role="progressbar"
      aria-label={title}
      aria-valuemin={0}
      {...(isKnown && { 'aria-valuemax': total, 'aria-valuenow': Math.min(done, total) })}
      aria-valuetext={progress}
      className="inline-flex h-7 items-center gap-2 rounded-sm border border-line-btn bg-surface px-2.5 text-xs tabular-nums"
    >
      <span aria-hidden="true" className="max-md:hidden">
        {title}
      </span>
      <span aria-hidden="true">{progress}</span>
      {isKnown && (
        <span aria-hidden="true" className="h-1 w-14 overflow-hidden rounded-full bg-track max-md:hidden">
          <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </span>
  );
  return (
    <span className="inline-flex items-center">
      {place === undefined ? (
        <>
          {bar}
          <Button variant="ghost" size="icon-sm" aria-label={t('work.cancel', { title })} onClick={cancel}>
            <X aria-hidden="true" />
          </Button>
        </>
      ) : (
        <Link to={place} aria-label={title} className="hit rounded-sm">
          {bar}
        </Link>
      )}
      {/* Told at each quarter, not at every step; the end is a message of its own. */}
      <span role="status" className="sr-only">
        {`${title} ${quarterText(work, t)}`.trim()}
      </span>
    </span>
  );
}
