import { formatDateTime, formatShort } from '@core/time-text.ts';
import type { ReactNode } from 'react';
import { Status } from '@/components/status.tsx';
import { Spinner } from '@/components/ui/button.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { cn } from '@/lib/cn.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Channel, failedTest, type LastTest, passedTest, responseLevel } from './channel.ts';

const tones = ['text-faint', 'text-bad', 'text-warn', 'text-series-4', 'text-ok'];
const BARS = [4, 6, 8, 10];

/** How the last test ended: its time, with a glyph of one to four bars, or that it failed; below it with what, or why. */
export function ResponseTime({ channel, testing }: { channel: Channel; testing: boolean }) {
  const { t } = useTranslation();
  const duration = useDuration();
  if (testing) {
    return (
      <span role="status" className="inline-flex items-center gap-1.5 text-muted">
        <Spinner />
        {t('channel.testing')}
      </span>
    );
  }
  const failed = failedTest(channel);
  if (failed) return <FailedTest test={failed} />;
  const passed = passedTest(channel);
  if (!passed) return <Speed ms={0}>{null}</Speed>;
  return (
    <TestLines below={<Told test={passed}>{passed.model}</Told>}>
      <Speed ms={passed.ms}>{duration(passed.ms / 1_000)}</Speed>
    </TestLines>
  );
}

/** That the last test failed: when, and below it why and with what. */
function FailedTest({ test }: { test: LastTest & { reason: string } }) {
  const { t } = useTranslation();
  const now = useNow();
  const { timeZone } = useTimeRules();
  const { at, model, reason } = test;
  return (
    <TestLines below={<Told test={test}>{[reason, model].filter(Boolean).join(' · ')}</Told>}>
      <Status tone="bad">{t('channel.failedAt', { when: formatShort(at, now, timeZone) })}</Status>
    </TestLines>
  );
}

function TestLines({ children, below }: { children: ReactNode; below: ReactNode }) {
  return (
    <span className="inline-flex max-w-40 flex-col items-end leading-4 max-md:max-w-full max-md:items-start">
      {children}
      {below}
    </span>
  );
}

/** The second line of a test; under the pointer all that is known of it. */
function Told({ test: { at, ms }, children }: { test: LastTest; children: string }) {
  const { t } = useTranslation();
  const duration = useDuration();
  const { timeZone } = useTimeRules();
  const whole = [
    at > 0 && t('channel.testedAt', { time: formatDateTime(at, timeZone) }),
    ms > 0 && duration(ms / 1_000),
    children,
  ];
  return (
    <span title={whole.filter(Boolean).join(' · ')} className="max-w-full truncate text-xs text-muted">
      {children}
    </span>
  );
}

interface SpeedProps {
  /** 0 for untested. */
  ms: number;
  children: ReactNode;
}

/** A time in the colour and the glyph of its step: up to 1, 3, 5 seconds, and more. */
export function Speed({ ms, children }: SpeedProps) {
  const { t } = useTranslation();
  const level = responseLevel(ms);
  return (
    <span className="inline-flex items-center gap-1.5">
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
