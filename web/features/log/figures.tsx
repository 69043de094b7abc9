/** The sums of what the filters have, in one strip. */
import { formatNumber } from '@core/money.ts';
import type { ReactNode } from 'react';
import { Money } from '@/components/money.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import type { LogSums } from '@/features/log/load.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CONSUMPTION } from './log-row.ts';

type Unrecorded = 'nothing' | 'minute' | 'all';

/**
 * Which figures nobody knows while calls are charged without a row: those of the last minute, and with a filter that the
 * hourly figures cannot follow all of them. Other types of rows are written as ever.
 */
export function unrecorded({ type, token, detail, request, status }: Record<string, unknown>): Unrecorded {
  if (type !== undefined && type !== String(CONSUMPTION)) return 'nothing';
  return [token, detail, request, status].every((each) => each === undefined) ? 'minute' : 'all';
}

interface FiguresProps {
  sums: LogSums;
  isGain: boolean;
  unrecorded: Unrecorded;
}

/** The sums of what the filters have, in one strip. */
export function Figures({ sums, isGain, unrecorded }: FiguresProps) {
  const { t } = useTranslation();
  const isKnown = unrecorded !== 'all';
  const isMinuteKnown = unrecorded === 'nothing';
  const noteOr = (note: string) => (sums.is_capped ? t('log.newestNote') : note);
  return (
    <dl className="mb-3 grid grid-cols-5 divide-x divide-line rounded-md border border-line bg-surface max-md:grid-cols-2 max-md:divide-x-0">
      <Figure
        label={t(isGain ? 'log.gained' : 'log.spent')}
        note={noteOr(t('log.spentNote'))}
        isKnown={isKnown}
      >
        <Money quota={sums.quota} />
      </Figure>
      <Figure label={t('log.calls')} note={<Success sums={sums} />} isKnown={isKnown}>
        {sums.failed === null && sums.calls === 0 ? '—' : formatNumber(sums.calls + (sums.failed ?? 0))}
      </Figure>
      <Figure label={t('log.tokens')} note={noteOr(t('log.tokensNote'))} isKnown={isKnown}>
        {formatNumber(sums.token)}
      </Figure>
      <Figure label="RPM" note={t('log.rpmNote')} isKnown={isMinuteKnown}>
        {formatNumber(sums.rpm)}
      </Figure>
      <Figure label="TPM" note={t('log.tpmNote')} isKnown={isMinuteKnown}>
        {formatNumber(sums.tpm)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  label: string;
  note: ReactNode;
  isKnown: boolean;
  children: ReactNode;
}

/** Of how many calls something came. Nothing is known of none, nor where not all that failed have a row. */
function Success({ sums: { success, failed } }: { sums: LogSums }) {
  const { t } = useTranslation();
  if (failed === null && !success) return t('log.failedUnknown');
  if (!success || success.calls + success.failed === 0) return t('log.callsNote');
  const isOfHours = success.of_hours;
  if (success.failed === 0) return t(isOfHours ? 'log.allWellOfHours' : 'log.allWell');
  return (
    <SearchLink change={{ type: '6', p: undefined }} className="link">
      {t(isOfHours ? 'log.successRateOfHours' : 'log.successRate', {
        rate: shareText(success.calls, success.calls + success.failed),
        failed: formatNumber(success.failed),
      })}
    </SearchLink>
  );
}

/** Cut off and not rounded: what failed once is not 100 %. */
const shareText = (part: number, all: number): string => `${Math.floor((part * 1000) / all) / 10} %`;

/** A dash for what is not recorded: a zero would be a number. */
function Figure({ label, note, isKnown, children }: FigureProps) {
  const { t } = useTranslation();
  return (
    <div className="px-4 py-2.5 max-md:py-2 max-md:first:col-span-2">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="text-2xl leading-8 font-semibold tabular-nums max-md:text-xl print:text-base">
        {isKnown ? children : <span className="text-muted">—</span>}
      </dd>
      <dd className="text-xs text-muted">{isKnown ? note : t('log.notRecorded')}</dd>
    </div>
  );
}
