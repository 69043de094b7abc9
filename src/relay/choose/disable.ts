/** What a failure means for the channel's future: what is refused for good, or fails probe after probe, is disabled. */
import { limits } from '../../core/limits.ts';
import type { Reason } from '../../core/reasons.ts';
import { tellDisabled } from '../../modules/channel/alerts.ts';
import { disableChannel } from '../../modules/channel/health.ts';
import { disableKeyAndTell } from '../../modules/channel/judge.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import type { TestResult } from '../../modules/channel/probe.ts';
import { refuseOwnKey } from '../../modules/custom-model/service.ts';
import type { Failure } from '../attempt/outcome.ts';
import { createProbe } from '../attempt/probe.ts';
import type { RelayDeps } from '../deps.ts';
import { channelSeen, keySeen, type Witness } from './witnesses.ts';

/**
 * Disables a key that its upstream has refused for good, and its channel with the last one; what the request itself may
 * have brought about, only once it is confirmed. Words alone may deceive, so that they never disable the last channel of a
 * model, nor a caller's own key. The call does not wait for it.
 */
export function disableRefused(
  candidate: Candidate,
  failure: Failure,
  witness: Witness,
  deps: RelayDeps,
): void {
  const { channel, key } = candidate;
  const reason = failure.keyDead ?? failure.finalWords;
  if (reason === null) return;
  const isSure = failure.keyDead !== null;
  const { ownKey } = channel;
  if (ownKey) {
    if (isSure) once(`own-key:${ownKey.id}`, channel, deps, () => refuseOwnKey(deps, ownKey));
    return;
  }
  if (!mayDisable(channel, deps)) return;
  const name = keySeen(key);
  if (!failure.isOfAccount) deps.witnesses.saw(name, witness);
  once(name, channel, deps, async () => {
    if (!failure.isOfAccount && !(await isConfirmed(name, candidate, isOfKey, deps))) return;
    await disableKeyAndTell(deps, channel, key, { reason, isSure });
  });
}

/** Disables a channel whose every probe fails, once it is confirmed: all of them may have asked for what fails. */
export function disableBroken(candidate: Candidate, because: Reason, deps: RelayDeps): void {
  const { channel } = candidate;
  if (!mayDisable(channel, deps)) return;
  const name = channelSeen(channel);
  const reason: Reason = { code: 'again', because };
  once(name, channel, deps, async () => {
    if (!(await isConfirmed(name, candidate, isOfChannel, deps))) return;
    tellDisabled(deps, channel, { result: await disableChannel(deps, channel.id, reason), reason });
  });
}

/** Only where both the operator's option and the channel allow it. */
const mayDisable = ({ autoBan }: RoutedChannel, { options }: Pick<RelayDeps, 'options'>): boolean =>
  autoBan && options.get('AutomaticDisableChannelEnabled');

/** Whether enough people have seen it, or the channel's test with this key says the same. */
async function isConfirmed(
  name: string,
  { channel, key }: Candidate,
  saysSo: (test: TestResult) => boolean,
  deps: RelayDeps,
): Promise<boolean> {
  if (deps.witnesses.areEnough(name)) return true;
  if (deps.witnesses.wasFoundWell(name)) return false;
  const model = channel.testModel || (channel.models[0] ?? '');
  const timeoutMs = deps.options.get('ChannelDisableThreshold') * 1_000 || limits.halfOpenMs;
  const test = await createProbe(deps).test({ ...channel, keys: [key] }, model, { timeoutMs });
  if (saysSo(test)) return true;
  if (!test.untested) deps.witnesses.foundWell(name);
  return false;
}

/**
 * Too many calls are no fault of a channel's, nor of a key's. Of a channel that no test can ask (pictures, sound, tasks)
 * every probe failed, and that has to do; its keys wait until several have seen it.
 */
const isOfChannel = ({ success, untested, isBusy }: TestResult): boolean =>
  untested === true || !(success || isBusy);
const isOfKey = ({ isKeyDead, isKeysFault, isBusy }: TestResult): boolean =>
  !isBusy && (isKeyDead || isKeysFault) === true;

/** Keys and channels that are being disabled: a burst of failures does it once. */
const underWay = new Set<string>();

function once(
  name: string,
  channel: RoutedChannel,
  { log }: Pick<RelayDeps, 'log'>,
  work: () => Promise<unknown>,
): void {
  if (underWay.has(name)) return;
  underWay.add(name);
  work()
    .catch((error: unknown) => log.error('channel.disable', { channel_id: channel.id, error }))
    .finally(() => underWay.delete(name));
}
