/** What root is told of channels. */

import { type Reason, reasonText } from '../../core/reasons.ts';
import { asIs, filled, type Text } from '../../core/text.ts';
import type { Alert, AlertType } from '../alert/service.ts';
import type { Deps } from '../deps.ts';
import type { Disabling } from './health.ts';

interface Named {
  id: number;
  name: string;
}

const DISABLED: Text = { zh: '渠道 {name}（#{id}）已被自动禁用', en: 'Channel {name} (#{id}) was disabled' };
const LAST: Text = {
  zh: '渠道 {name}（#{id}）出现故障，但它是某个模型的最后一个渠道，因此未禁用',
  en: 'Channel {name} (#{id}) fails, but stays: it is the last one of a model',
};
const BACK: Text = { zh: '渠道 {name}（#{id}）已自动恢复', en: 'Channel {name} (#{id}) is back in service' };

/** What is told of a channel. */
const about = (type: AlertType, title: Text, { id, name }: Named, content: Text | null): Alert => ({
  type,
  subject: `channel:${id}`,
  title: filled(title, { name: asIs(name), id }),
  content,
});

/** Notes what came of taking a channel out of service, and tells root. */
export function tellDisabled(
  { log, alerts }: Pick<Deps, 'log' | 'alerts'>,
  channel: Named,
  { result, reason }: { result: Disabling; reason: Reason },
): void {
  if (result === 'unchanged') return;
  if (result === 'disabled')
    log.warn('channel.disabled', { channel_id: channel.id, reason: reasonText(reason).en });
  const content = reasonText(reason);
  // It was disabled, or would have been if it were not the last of a group and model.
  alerts.send(
    result === 'disabled'
      ? about('channel_disabled', DISABLED, channel, content)
      : about('channel_last', LAST, channel, content),
  );
}

/** A channel that was disabled by itself is back. */
export const cameBack = (channel: Named): Alert => about('channel_enabled', BACK, channel, null);
