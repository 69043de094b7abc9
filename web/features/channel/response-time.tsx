import { formatDateTime, formatShort } from '@core/time-text.ts';
import type { ReactNode } from 'react';
import { Status } from '@/components/status.tsx';
import { Spinner } from '@/components/ui/button.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { cn } from '@/lib/cn.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Channel, failedTest, responseLevel } from './channel.ts';

const tones = ['text-faint', 'text-bad', 'text-warn', 'text-series-4', 'text-ok'];
const BARS = [4, 6, 8, 10];

/** How the last test ended: that it failed, or its time, with a glyph of one to four bars: the more, the quicker. */
export function ResponseTime({ channel, testing }: { channel: Channel; testing: boolean }) {
  const { t } = useTranslation();
  const duration = useDuration();
  const { timeZone } = useTimeRules();
  const { response_time, test_time } = channel;
  if (testing) {
    return (
      <span role="status" className="inline-flex items-center gap-1.5 text-muted">
        <Spinner />
        {t('channel.testing')}
      </span>
    );
  }
  const failed = failedTest(channel);
  if (failed) return <FailedTest {...failed} />;
  return (
    <Speed
      ms={response_time}
      title={test_time > 0 ? t('channel.testedAt', { time: formatDateTime(test_time, timeZone) }) : undefined}
    >
      {duration(response_time / 1_000)}
    </Speed>
  );
}

/** That the last test failed: when, and below it why. */
function FailedTest({ at, reason }: { at: number; reason: string }) {
  const { t } = useTranslation();
  const now = useNow();
  const { timeZone } = useTimeRules();
  return (
    <span className="inline-flex max-w-36 flex-col items-end leading-4 max-md:max-w-full max-md:items-start">
      <span title={formatDateTime(at, timeZone)}>
        <Status tone="bad">{t('channel.failedAt', { when: formatShort(at, now, timeZone) })}</Status>
      </span>
      <span title={reason} className="max-w-full truncate text-xs text-muted">
        {reason}
      </span>
    </span>
  );
}

interface SpeedProps {
  /** 0 for untested. */
  ms: number;
  title?: string;
  children: ReactNode;
}

/** A time in the colour and the glyph of its step: up to 1, 3, 5 seconds, and more. */
export function Speed({ ms, title, children }: SpeedProps) {
  const { t } = useTranslation();
  const level = responseLevel(ms);
  return (
    <span className="inline-flex items-center gap-1.5" title={title}>
      {level === 0 ? <span className="text-muted">{t('channel.untested')}</span> : children}
      <span aria-hidden="true" className={cn('inline-flex h-2.5 w-[15px] items-end gap-px', tones[level])}>
        {BARS.map((height, index) => (
          <span
            key={height}
            className={cn('w-[3px]', index < level ? 'bg-current' : 'bg-line-btn')}
            style={{ height }}
          />
        ))}
      </span>
    </span>
  );
}
