/** What a failure means for the channel's future: what is refused for good, or fails trial after trial, is taken out. */
import type { Reason } from '../../core/reasons.ts';
import { tellTakenOut } from '../../modules/channel/alerts.ts';
import { takeOut } from '../../modules/channel/health.ts';
import { takeKeyOut } from '../../modules/channel/judge.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import type { Failure } from '../attempt/outcome.ts';
import type { RelayDeps } from '../deps.ts';

/**
 * Takes a key out that its upstream has refused for good, and its channel with the last one. Words alone may deceive, so
 * that they never take the last channel of a model. The call does not wait for it.
 */
export function punish({ channel, key }: Candidate, failure: Failure, deps: RelayDeps): void {
  const reason = failure.keyDead ?? failure.finalWords;
  if (reason === null) return;
  const isSure = failure.keyDead !== null;
  once(`key:${key.id}`, channel, deps, () => takeKeyOut(deps, channel, key, { reason, isSure }));
}

/** Takes a channel out that no trial finds well. */
export function takeOutBroken({ channel }: Candidate, because: Reason, deps: RelayDeps): void {
  const reason: Reason = { code: 'again', because };
  once(`channel:${channel.id}`, channel, deps, async () =>
    tellTakenOut(deps, channel, { result: await takeOut(deps, channel.id, reason), reason }),
  );
}

/** Keys and channels that are being taken out: a burst of failures does it once. */
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
