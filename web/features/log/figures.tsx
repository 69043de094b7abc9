/** The sums of what the filters have, in one strip. */
import { formatNumber } from '@core/money.ts';
import { formatDateTime } from '@core/time-text.ts';
import { Figure, FiguresRow } from '@/components/figure.tsx';
import { Money } from '@/components/money.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import type { LogSums } from '@/features/log/load.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CONSUMPTION, REFUSED } from './log-row.ts';

type Unrecorded = 'nothing' | 'minute' | 'all';

/**
 * Which figures nobody knows while calls are charged without a row: those of the last minute, and with a filter that the
 * hourly figures cannot follow all of them. Other types of rows are written as ever.
 */
export function unrecorded(
  { type, code }: { type?: string | undefined; code?: string | undefined },
  sums: LogSums,
): Unrecorded {
  const asked = type ?? (code === undefined ? undefined : String(REFUSED));
  if (asked !== undefined && asked !== String(CONSUMPTION)) return 'nothing';
  return sums.knows_unlogged ? 'minute' : 'all';
}

interface FiguresProps {
  sums: LogSums;
  isGain: boolean;
  /** Failed requests are all that is asked for. */
  isFailed: boolean;
  unrecorded: Unrecorded;
}

/** The sums of what the filters have, in one strip. */
export function Figures({ sums, isGain, isFailed, unrecorded }: FiguresProps) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const isKnown = unrecorded !== 'all';
  const isMinuteKnown = unrecorded === 'nothing';
  const hasCalls = sums.failed !== null || sums.calls > 0;
  const noteOr = (note: string) => {
    if (!isKnown) return t('log.notRecorded');
    return sums.looked ? t('log.newestNote', { time: formatDateTime(sums.looked.back_to, timeZone) }) : note;
  };
  return (
    <FiguresRow count={5} className="mb-3">
      <Figure label={t(isGain ? 'log.gained' : 'log.spent')} note={noteOr(t('log.spentNote'))}>
        {isKnown ? <Money quota={sums.quota} /> : null}
      </Figure>
      {isFailed ? (
        <Figure label={t('log.failed')} note={t('log.callsNote')}>
          {sums.failed === null ? null : formatNumber(sums.failed)}
        </Figure>
      ) : (
        <Figure label={t('log.calls')} note={isKnown ? <Success sums={sums} /> : t('log.notRecorded')}>
          {isKnown && hasCalls ? formatNumber(sums.calls) : null}
        </Figure>
      )}
      <Figure label={t('log.tokens')} note={noteOr(t('log.tokensNote'))}>
        {isKnown ? formatNumber(sums.token) : null}
      </Figure>
      <Figure label="RPM" note={t(isMinuteKnown ? 'log.rpmNote' : 'log.notRecorded')}>
        {isMinuteKnown ? formatNumber(sums.rpm) : null}
      </Figure>
      <Figure label="TPM" note={t(isMinuteKnown ? 'log.tpmNote' : 'log.notRecorded')}>
        {isMinuteKnown ? formatNumber(sums.tpm) : null}
      </Figure>
    </FiguresRow>
  );
}

/** Of how many calls something came. Nothing is known of none, nor where not all that failed have a row. */
function Success({ sums: { success, failed } }: { sums: LogSums }) {
  const { t } = useTranslation();
  if (failed === null && !success) return t('log.failedUnknown');
  if (!success || success.calls + success.failed === 0) return t('log.callsNote');
  const isOfHours = success.of_hours;
  if (success.failed === 0) return t(isOfHours ? 'log.allWellOfHours' : 'log.allWell');
  return (
    <SearchLink change={{ type: String(REFUSED), p: undefined }} className="link">
      {t(isOfHours ? 'log.successRateOfHours' : 'log.successRate', {
        rate: shareText(success.calls, success.calls + success.failed),
        failed: formatNumber(success.failed),
      })}
    </SearchLink>
  );
}

/** Cut off and not rounded: what failed once is not 100 %. */
const shareText = (part: number, all: number): string => `${Math.floor((part * 1000) / all) / 10} %`;
