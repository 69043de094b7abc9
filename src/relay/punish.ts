/** What a failure means for the channel's future: what is refused for good, or fails trial after trial, is taken out. */
import { tellTakenOut } from '../modules/channel/alerts.ts';
import { type Disabling, disableKey, takeOut } from '../modules/channel/health.ts';
import type { RoutedChannel } from '../modules/channel/model.ts';
import type { Candidate } from './candidates.ts';
import type { RelayDeps } from './deps.ts';
import type { Failure } from './outcome.ts';

/**
 * Takes a key out that its upstream has refused for good, and its channel with the last one. Words alone may deceive, so
 * that they never take the last channel of a model. The call does not wait for it.
 */
export function punish({ channel, key }: Candidate, failure: Failure, deps: RelayDeps): void {
  const reason = failure.keyDead ?? failure.finalWords;
  if (reason === null) return;
  once(`key:${key.id}`, channel, reason, deps, async () => {
    const result = await disableKey(deps, key.id, reason, { isSure: failure.keyDead !== null });
    if (result.key === 'disabled') {
      deps.log.warn('channel.key_disabled', { channel_id: channel.id, key_id: key.id, reason });
    }
    return result.channel;
  });
}

/** Takes a channel out that no trial finds well. */
export function takeOutBroken({ channel }: Candidate, failure: string, deps: RelayDeps): void {
  const reason = `fails again and again: ${failure}`;
  once(`channel:${channel.id}`, channel, reason, deps, () => takeOut(deps, channel.id, reason));
}

/** Keys and channels that are being taken out: a burst of failures does it once. */
const underWay = new Set<string>();

/** Only where both the operator's option and the channel allow it. */
function once(
  name: string,
  channel: RoutedChannel,
  reason: string,
  { options, log, alerts }: RelayDeps,
  work: () => Promise<Disabling>,
): void {
  if (!channel.autoBan || !options.get('AutomaticDisableChannelEnabled') || underWay.has(name)) return;
  underWay.add(name);
  work()
    .then((result) => tellTakenOut({ log, alerts }, channel, { result, reason }))
    .catch((error: unknown) => log.error('channel.disable', { channel_id: channel.id, error }))
    .finally(() => underWay.delete(name));
}
