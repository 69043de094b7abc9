/** Why the gateway switched a channel off, and what can be done about it. Loaded and opened with the first press. */
import { formatDateTime } from '@core/time-text.ts';
import { Info } from 'lucide-react';
import { useState } from 'react';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Channel, offReason } from './channel.ts';
import type { ChannelActions } from './use-channel-actions.ts';

interface WhyOffProps {
  channel: Channel;
  actions: ChannelActions;
  /** Whether the gateway tests it again by itself. */
  probing: boolean;
}

export function WhyOff({ channel, actions, probing, defaultOpen }: WhyOffProps & { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const [open, setOpen] = useState(defaultOpen);
  const { reason, at, nextTest } = offReason(channel);
  const label = t('channel.why', { name: channel.name });
  const run = (work: () => Promise<void>) => () => {
    setOpen(false);
    void work();
  };
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button variant="ghost" size="icon-sm" aria-label={label}>
          <Info aria-hidden="true" />
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label={label}>
        <strong className="font-semibold">{t('channel.whyTitle')}</strong>
        <dl className="mt-1.5 mb-2.5 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 *:[dt]:text-muted">
          <dt>{t('channel.whyCause')}</dt>
          <dd className="break-words">{reason || t('channel.whyUnknown')}</dd>
          {at > 0 && (
            <>
              <dt>{t('channel.whyWhen')}</dt>
              <dd className="tabular-nums">
                {formatDateTime(at, timeZone)} · <Time at={at} relative />
              </dd>
            </>
          )}
          <dt>{t('channel.whyNext')}</dt>
          <dd className="tabular-nums">
            <NextTest at={probing ? nextTest : 0} />
          </dd>
        </dl>
        <div className="flex gap-2">
          <Button size="sm" onClick={run(() => actions.test(channel))}>
            {t('channel.testNow')}
          </Button>
          <Button size="sm" onClick={run(() => actions.setEnabled(channel, true))}>
            {t('channel.enable')}
          </Button>
        </div>
      </PopoverContent>
    </Popover>
  );
}

function NextTest({ at }: { at: number }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const now = useNow();
  if (at === 0) return t('channel.whyNever');
  if (at <= now) return t('channel.whySoon');
  return (
    <>
      {formatDateTime(at, timeZone)} · <Time at={at} relative />
    </>
  );
}
