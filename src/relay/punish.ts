/** What a failure means for the channel's future: a key that its upstream has refused for good rests. */
import { disableKey } from '../modules/channel/health.ts';
import type { Candidate } from './candidates.ts';
import type { RelayDeps } from './deps.ts';
import type { Failure } from './outcome.ts';

/** Keys that are being put to rest: a burst of failures does it once. */
const resting = new Set<number>();

/** Only where both the operator's option and the channel allow it. The call does not wait for it. */
export function punish({ channel, key }: Candidate, { keyDead }: Failure, deps: RelayDeps): void {
  const { changes, options, log } = deps;
  if (keyDead === null || !channel.autoBan || !options.get('AutomaticDisableChannelEnabled')) return;
  if (resting.has(key.id)) return;
  resting.add(key.id);
  disableKey({ changes }, key.id, keyDead)
    .then((result) => {
      if (result.keyDisabled) log.warn('channel.key_disabled', { channel_id: channel.id, ...result });
    })
    .catch((error: unknown) => log.error('channel.disable', { channel_id: channel.id, error }))
    .finally(() => resting.delete(key.id));
}
