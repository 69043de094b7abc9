/** What root is told of channels, in both languages: nobody knows which one the receiver reads. */
import type { Alert } from '../alert/service.ts';
import type { Deps } from '../deps.ts';
import type { Disabling } from './health.ts';

interface Named {
  id: number;
  name: string;
}

const about = ({ id, name }: Named) => ({
  subject: `channel:${id}`,
  zh: `${name}（#${id}）`,
  en: `${name} (#${id})`,
});

/** Notes what came of taking a channel out of service, and tells root. */
export function tellTakenOut(
  { log, alerts }: Pick<Deps, 'log' | 'alerts'>,
  channel: Named,
  { result, reason }: { result: Disabling; reason: string },
): void {
  if (result === 'unchanged') return;
  if (result === 'disabled') log.warn('channel.disabled', { channel_id: channel.id, reason });
  alerts.send(tookOut(channel, result, reason));
}

/** A channel was taken out of service, or would have been if it were not the last of a group and model. */
function tookOut(channel: Named, what: 'disabled' | 'last', reason: string): Alert {
  const { subject, zh, en } = about(channel);
  return what === 'disabled'
    ? {
        type: 'channel_disabled',
        subject,
        title: `渠道 ${zh} 已被自动禁用 · Channel ${en} was disabled`,
        content: reason,
      }
    : {
        type: 'channel_last',
        subject,
        title: `渠道 ${zh} 出现故障，但它是某个模型的最后一个渠道，因此未禁用 · Channel ${en} fails, but stays: it is the last one of a model`,
        content: reason,
      };
}

/** A channel that was disabled by itself is back. */
export function cameBack(channel: Named): Alert {
  const { subject, zh, en } = about(channel);
  return {
    type: 'channel_enabled',
    subject,
    title: `渠道 ${zh} 已自动恢复 · Channel ${en} is back in service`,
    content: '',
  };
}
