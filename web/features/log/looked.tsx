/** Says how far a list looked that did not look at all rows, and leads to those behind. */
import { formatNumber } from '@core/money.ts';
import { formatDateTime } from '@core/time-text.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { LogSums } from './load.ts';
import type { Range } from './range.ts';

type Looked = NonNullable<LogSums['looked']>;

/** `range`: the time that the list shows. */
interface LookedProps {
  looked: Looked;
  range: Range;
}

/** Above the rows that were found. */
export function LookedNote(props: LookedProps) {
  const { t } = useTranslation();
  return (
    <Notice
      tone="mind"
      // On the phone the way on stands below what is said.
      className="mb-3 items-center max-md:grid max-md:grid-cols-[auto_1fr] max-md:items-start max-md:*:last:col-start-2 max-md:*:last:ml-0"
      end={<FurtherBack {...props} />}
    >
      {t('log.looked', useLookedText(props.looked))}
    </Notice>
  );
}

/** In the place of rows, of which none was found so far. */
export function NoneLooked(props: LookedProps) {
  const { t } = useTranslation();
  const text = useLookedText(props.looked);
  return (
    <EmptyState title={t('log.noneLooked', text)} action={<FurtherBack {...props} />}>
      {t('log.noneLookedHelp', text)}
    </EmptyState>
  );
}

function useLookedText({ rows, back_to }: Looked) {
  const { timeZone } = useTimeRules();
  return { most: formatNumber(rows), time: formatDateTime(back_to, timeZone) };
}

/** The same filters in the time that is left: it ends where the look did. */
function FurtherBack({ looked, range }: LookedProps) {
  const { t } = useTranslation();
  return (
    <SearchLink
      change={{ range: undefined, from: range.from, to: looked.back_to, p: undefined }}
      className={buttonVariants()}
      data-print="no"
    >
      {t('log.lookFurther')}
    </SearchLink>
  );
}
