import { formatDateTime, formatRelative, formatShort } from '@core/time-text.ts';
import { useNow, useTimeRules } from '@/lib/clock.ts';

interface TimeProps {
  /** Unix seconds; 0 is no time. */
  at: number;
  /** `2 days ago` instead of `05-01 14:03`. */
  relative?: boolean;
  className?: string;
}

/** An instant in the viewer's zone; its title holds the whole date. */
export function Time({ at, relative, className }: TimeProps) {
  const now = useNow();
  const { locale, timeZone } = useTimeRules();
  if (at <= 0) return <span className={className}>-</span>;
  const text = relative ? formatRelative(at, now, locale) : formatShort(at, now, timeZone);
  return (
    <time
      dateTime={new Date(at * 1000).toISOString()}
      title={`${formatDateTime(at, timeZone)} ${timeZone}`}
      className={className}
    >
      {text}
    </time>
  );
}
