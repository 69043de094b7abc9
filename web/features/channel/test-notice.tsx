import { formatShort } from '@core/time-text.ts';
import { Link } from '@tanstack/react-router';
import { Notice } from '@/components/ui/notice.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Channel, failedTest } from './channel.ts';
import type { TestOutcome } from './recent.ts';

/** At the top of the form: how the test that was just made ended, else when the channel last answered one. */
export function TestNotice({ channel, outcome }: { channel: Channel; outcome: TestOutcome | null }) {
  const { t } = useTranslation();
  const now = useNow();
  const { timeZone } = useTimeRules();
  const duration = useDuration();
  const failed = outcome ? null : failedTest(channel);
  return (
    <div role="status" className="empty:hidden">
      {outcome?.ok && (
        <Notice
          tone="ok"
          end={
            <Link to="/token/chat" className="hit text-accent-text">
              {t('channel.tryIt')}
            </Link>
          }
        >
          {t('channel.testOk', { model: outcome.model, time: duration(outcome.ms / 1_000) })}
        </Notice>
      )}
      {outcome && !outcome.ok && (
        <Notice tone="bad">{t('channel.testBad', { reason: outcome.reason })}</Notice>
      )}
      {failed && (
        <Notice tone="bad">
          {t('channel.lastTestFailed', {
            when: formatShort(failed.at, now, timeZone),
            reason: failed.reason,
          })}
        </Notice>
      )}
      {!outcome && !failed && channel.response_time > 0 && (
        <Notice tone="ok">
          {t('channel.lastTest', {
            time: duration(channel.response_time / 1_000),
            when: formatShort(channel.test_time, now, timeZone),
          })}
        </Notice>
      )}
    </div>
  );
}
