/** At the top of the form: why the gateway switched the channel off, or some of its keys. */
import { formatDateTime } from '@core/time-text.ts';
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { Notice } from '@/components/ui/notice.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Channel, offReason } from './channel.ts';

export function OffNotice({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  if (channel.status !== CHANNEL_STATUS.autoDisabled) return null;
  const { reason, at } = offReason(channel);
  const facts = [reason || t('channel.whyUnknown'), at > 0 && formatDateTime(at, timeZone)];
  return (
    <Notice tone="warn" className="mb-3">
      {t('channel.isOff', { why: facts.filter(Boolean).join(' · ') })}
    </Notice>
  );
}
