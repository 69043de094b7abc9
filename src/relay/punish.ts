/** What a failure means for the channel's future: what is refused for good, or fails trial after trial, is taken out. */
import { tellTakenOut } from '../modules/channel/alerts.ts';
import { type Disabling, disableKey, takeOut } from '../modules/channel/health.ts';
import type { RoutedChannel } from '../modules/channel/model.ts';
import { wordsIn } from '../options/words.ts';
import type { Candidate } from './candidates.ts';
import type { RelayDeps } from './deps.ts';
import type { Failure } from './outcome.ts';
import type { RelayRequest } from './request.ts';

/** Takes a key out that its upstream has refused for good, and its channel with the last one. The call does not wait for it. */
export function punish(
  { channel, key }: Candidate,
  failure: Failure,
  request: Pick<RelayRequest, 'body' | 'facts'>,
  deps: RelayDeps,
): void {
  const reason = failure.keyDead ?? finalWords(failure, request, deps);
  if (reason === null) return;
  once(`key:${key.id}`, channel, reason, deps, async () => {
    const result = await disableKey(deps, key.id, reason);
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

/** Statuses by which an upstream speaks of itself and of the key. Those of a bad request repeat what the caller wrote. */
const speaksOfItself = (status: number): boolean => [401, 402, 403, 429].includes(status) || status >= 500;

/** The operator's own words for what is final, unless the caller brought them along. */
function finalWords(
  { status, said, reason }: Failure,
  { body, facts }: Pick<RelayRequest, 'body' | 'facts'>,
  { options }: RelayDeps,
): string | null {
  if (!speaksOfItself(status)) return null;
  const words = wordsIn(options, 'AutomaticDisableKeywords');
  if (words.find(said) === null) return null;
  return words.find(textsIn([body, facts.model])) === null ? reason : null;
}

/** All texts of a request as they read, one a line, names of fields among them. */
function textsIn(value: unknown): string {
  const texts: string[] = [];
  JSON.stringify(value, (name, inner: unknown) => {
    texts.push(name);
    if (typeof inner === 'string') texts.push(inner);
    return inner;
  });
  return texts.join('\n');
}

/** Keys and channels that are being taken out: a burst of failures does it once. */
const underWay = new Set<string>();

/** Only where both the operator's option and the channel allow it, and never the last channel of a group and model. */
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
