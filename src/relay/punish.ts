/** What a failure means for the channel's future: whoever is refused for good, or fails trial after trial, is taken out. */
import { tookOut } from '../modules/channel/alerts.ts';
import { type Disabling, disableKey, takeOut } from '../modules/channel/health.ts';
import { wordsIn } from '../options/words.ts';
import type { Candidate } from './candidates.ts';
import type { RelayDeps } from './deps.ts';
import type { Failure } from './outcome.ts';

/** Keys and channels that are being taken out: a burst of failures does it once. */
const underWay = new Set<string>();

/**
 * Only where both the operator's option and the channel allow it, and never the last channel of a group and model. The
 * call does not wait for it.
 */
export function punish(
  { channel, key }: Candidate,
  failure: Failure,
  deps: RelayDeps,
  isBroken = false,
): void {
  const { changes, options, log, alerts } = deps;
  if (!channel.autoBan || !options.get('AutomaticDisableChannelEnabled')) return;
  const refused = failure.keyDead ?? forbidden(failure, deps);
  if (refused === null && !isBroken) return;
  const name = refused === null ? `channel:${channel.id}` : `key:${key.id}`;
  if (underWay.has(name)) return;
  underWay.add(name);
  const reason = refused ?? `fails again and again: ${failure.reason}`;
  const work: Promise<Disabling> =
    refused === null
      ? takeOut({ changes }, channel.id, reason)
      : disableKey({ changes }, key.id, reason).then((result) => {
          if (result.key === 'disabled') {
            log.warn('channel.key_disabled', { channel_id: channel.id, key_id: key.id });
          }
          return result.channel;
        });
  work
    .then((result) => {
      if (result === 'disabled') log.warn('channel.disabled', { channel_id: channel.id, reason });
      if (result !== 'unchanged') alerts.send(tookOut(channel, result, reason));
    })
    .catch((error: unknown) => log.error('channel.disable', { channel_id: channel.id, error }))
    .finally(() => underWay.delete(name));
}

/** The operator's own words for what is final; null when none of them was said. */
function forbidden({ said, reason }: Failure, { options }: RelayDeps): string | null {
  const word = wordsIn(options, 'AutomaticDisableKeywords').find(said);
  return word === null ? null : reason;
}
