/** The keys of a saved channel: which is off and why, and back in use again. What they are is never shown. */

import { formatDateTime } from '@core/time-text.ts';
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { State } from '@/components/status.tsx';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { errorText } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { enableKeys, getKeys } from './calls.ts';
import { type Channel, type ChannelKey, channelState } from './channel.ts';

const isOff = ({ status }: ChannelKey): boolean => status !== CHANNEL_STATUS.enabled;

/** Asked for with the first press: most who open the form do not come for this. */
export function ChannelKeys({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const [keys, setKeys] = useState<ChannelKey[] | null>(null);
  const load = useAction(async () => setKeys(await getKeys(api, channel.id)));
  const enable = useAction(async (ids: number[]) => {
    await enableKeys(api, channel.id, ids);
    setKeys(await getKeys(api, channel.id));
    // How many are off stands in the form too, and in the list behind it.
    await router.invalidate();
  });
  const off = (keys ?? []).filter(isOff);
  const on = (keys ?? []).filter((key) => !isOff(key));
  const failure = load.error ?? enable.error;
  return (
    <div className="-mt-2 grid gap-2">
      {keys === null ? (
        <div>
          <LinkButton onClick={() => void load.run()}>{t('channel.keysShow')}</LinkButton>
        </div>
      ) : (
        <>
          <div className="flex items-center justify-between gap-2">
            <LinkButton onClick={() => setKeys(null)}>{t('channel.keysHide')}</LinkButton>
            {off.length > 1 && (
              <Button
                size="sm"
                disabled={enable.pending}
                onClick={() => void enable.run(off.map(({ id }) => id))}
              >
                {t('channel.keysEnableAll', { count: off.length })}
              </Button>
            )}
          </div>
          <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-sm border border-line">
            {/* What needs a hand first: there may be hundreds. */}
            {[...off, ...on].map((key) => (
              <KeyRow
                key={key.id}
                shown={key}
                pending={enable.pending}
                onEnable={() => void enable.run([key.id])}
              />
            ))}
          </ul>
        </>
      )}
      {failure !== null && (
        <p role="alert" className="text-xs text-bad">
          {errorText(failure, t)}
        </p>
      )}
    </div>
  );
}

interface KeyRowProps {
  shown: ChannelKey;
  pending: boolean;
  onEnable: () => void;
}

function KeyRow({ shown, pending, onEnable }: KeyRowProps) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const { position, hint, reason, disabled_at } = shown;
  return (
    <li className="grid min-h-11 grid-cols-[28px_minmax(0,1fr)_auto_auto] items-center gap-x-3 px-3 py-1.5 text-sm">
      <span className="text-right text-muted tabular-nums">{position}</span>
      <span className="truncate font-mono text-xs">{hint}</span>
      <State look={channelState({ status: shown.status })} />
      {isOff(shown) && (
        <>
          <Button size="sm" disabled={pending} onClick={onEnable}>
            {t('channel.enable')}
          </Button>
          <span className="col-[2/-1] mt-0.5 text-xs break-words text-muted">
            {reason || t('channel.whyUnknown')}
            {disabled_at > 0 && (
              <span className="tabular-nums">
                {' · '}
                {formatDateTime(disabled_at, timeZone)}
              </span>
            )}
          </span>
        </>
      )}
    </li>
  );
}
