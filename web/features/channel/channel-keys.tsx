/** The keys of a saved channel: which is off and why, and back in use again. What they are is never shown. */
import { formatDateTime } from '@core/time-text.ts';
import { useState } from 'react';
import { Status } from '@/components/status.tsx';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { errorText } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { enableKeys, getKeys } from './calls.ts';
import { CHANNEL_STATUS, type Channel, type ChannelKey } from './channel.ts';

/** Asked for with the first press: most who open the form do not come for this. */
export function ChannelKeys({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const api = useApi();
  const [keys, setKeys] = useState<ChannelKey[] | null>(null);
  const load = useAction(async () => setKeys(await getKeys(api, channel.id)));
  const enable = useAction(async (ids: number[]) => {
    await enableKeys(api, channel.id, ids);
    setKeys(await getKeys(api, channel.id));
  });
  const off = (keys ?? []).filter(({ status }) => status !== CHANNEL_STATUS.enabled);
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
            {keys.map((key) => (
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

function KeyRow({ shown: { position, hint, status, reason, disabled_at }, pending, onEnable }: KeyRowProps) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const isOn = status === CHANNEL_STATUS.enabled;
  return (
    <li className="flex min-h-11 items-center gap-3 px-3 py-1.5 text-sm">
      <span className="w-7 shrink-0 text-right text-muted tabular-nums">{position}</span>
      <span className="min-w-0 flex-1">
        <span className="font-mono text-xs">{hint}</span>
        {!isOn && (
          <span className="mt-0.5 block text-xs break-words text-muted">
            {reason || t('channel.whyUnknown')}
            {disabled_at > 0 && ` · ${formatDateTime(disabled_at, timeZone)}`}
          </span>
        )}
      </span>
      <Status tone={isOn ? 'on' : 'auto'}>{t(isOn ? 'channel.keyOn' : 'channel.keyOff')}</Status>
      {!isOn && (
        <Button size="sm" disabled={pending} onClick={onEnable}>
          {t('channel.enable')}
        </Button>
      )}
    </li>
  );
}
