import { Status } from '@/components/status.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Channel, channelStates } from './channel.ts';

export function EditTitle({ channel: { id, name, status } }: { channel: Channel }) {
  const { t } = useTranslation();
  const state = channelStates.find((one) => one.status === status);
  return (
    <span className="flex items-baseline">
      <span className="truncate" title={name}>
        {name}
      </span>
      <span className="ml-2 text-sm font-normal whitespace-nowrap text-muted">
        {t('channel.idIs', { id })}
      </span>
      {state && (
        <span className="ml-3 text-sm font-normal">
          <Status tone={state.tone}>{t(state.label)}</Status>
        </span>
      )}
    </span>
  );
}
