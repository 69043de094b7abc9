import { State } from '@/components/status.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Channel, channelState } from './channel.ts';

export function EditTitle({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const { id, name } = channel;
  return (
    <span className="flex items-baseline">
      <span className="truncate" title={name}>
        {name}
      </span>
      <span className="ml-2 text-sm font-normal whitespace-nowrap text-muted">
        {t('channel.idIs', { id })}
      </span>
      <span className="ml-3 text-sm font-normal">
        <State look={channelState(channel)} />
      </span>
    </span>
  );
}
