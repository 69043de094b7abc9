/** What a failure means for the channel's future: what is refused for good, or fails probe after probe, is disabled. */
import type { Reason } from '../../core/reasons.ts';
import { tellDisabled } from '../../modules/channel/alerts.ts';
import { disableChannel } from '../../modules/channel/health.ts';
import { disableKeyAndTell } from '../../modules/channel/judge.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import { refuseOwnKey } from '../../modules/custom-model/service.ts';
import type { Failure } from '../attempt/outcome.ts';
import type { RelayDeps } from '../deps.ts';

/**
 * Disables a key that its upstream has refused for good, and its channel with the last one. Words alone may deceive, so
 * that they never disable the last channel of a model, nor a caller's own key. The call does not wait for it.
 */
export function disableRefused({ channel, key }: Candidate, failure: Failure, deps: RelayDeps): void {
  const reason = failure.keyDead ?? failure.finalWords;
  if (reason === null) return;
  const isSure = failure.keyDead !== null;
  const { ownKey } = channel;
  if (ownKey) {
    if (isSure) once(`own-key:${ownKey.id}`, channel, deps, () => refuseOwnKey(deps, ownKey));
    return;
  }
  once(`key:${key.id}`, channel, deps, () => disableKeyAndTell(deps, channel, key, { reason, isSure }));
}

/** Disables a channel whose every probe fails. */
export function disableBroken({ channel }: Candidate, because: Reason, deps: RelayDeps): void {
  const reason: Reason = { code: 'again', because };
  once(`channel:${channel.id}`, channel, deps, async () =>
    tellDisabled(deps, channel, { result: await disableChannel(deps, channel.id, reason), reason }),
  );
}

/** Keys and channels that are being disabled: a burst of failures does it once. */
const underWay = new Set<string>();

/** Only where both the operator's option and the channel allow it. */
function once(
  name: string,
  channel: RoutedChannel,
  { options, log }: RelayDeps,
  work: () => Promise<unknown>,
): void {
  if (!channel.autoBan || !options.get('AutomaticDisableChannelEnabled') || underWay.has(name)) return;
  underWay.add(name);
  work()
    .catch((error: unknown) => log.error('channel.disable', { channel_id: channel.id, error }))
    .finally(() => underWay.delete(name));
}
