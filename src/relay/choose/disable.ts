/** What a failure means for the channel's future: what is refused for good, or fails probe after probe, is disabled. */
import type { Reason } from '../../core/reasons.ts';
import { tellDisabled } from '../../modules/channel/alerts.ts';
import { disableChannel } from '../../modules/channel/health.ts';
import { disableKeyAndTell } from '../../modules/channel/judge.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import type { TestResult } from '../../modules/channel/test-result.ts';
import { refuseOwnKey } from '../../modules/custom-model/service.ts';
import type { Failure } from '../attempt/outcome.ts';
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
    if (!failure.isOfAccount && !(await confirmationOf(name, candidate, isOfKey, deps))) return;
    await disableKeyAndTell(deps, channel, key, { reason, isSure });
  });
}

/**
 * Disables a channel whose every probe fails, once it is confirmed: all of them may have asked for what fails. Where the
 * test finds its key refused, that one goes alone, and the channel with its last one.
 */
export function disableBroken(candidate: Candidate, because: Reason, deps: RelayDeps): void {
  const { channel, key } = candidate;
  if (!mayDisable(channel, deps)) return;
  const name = channelSeen(channel);
  const reason: Reason = { code: 'again', because };
  once(name, channel, deps, async () => {
    const test = await confirmationOf(name, candidate, isFault, deps);
    if (!test) return;
    if (isOfKey(test)) {
      await disableKeyAndTell(deps, channel, key, { reason: test.reason ?? because, isSure: test.isKeyDead });
      return;
    }
    tellDisabled(deps, channel, { result: await disableChannel(deps, channel.id, reason), reason });
  });
}

/** Only where both the operator's option and the channel allow it. */
const mayDisable = ({ autoBan }: RoutedChannel, { options }: Pick<RelayDeps, 'options'>): boolean =>
  autoBan && options.get('AutomaticDisableChannelEnabled');

/**
 * The test of ours with this key that bears out that it is so; null where it says otherwise. Where none can ask the channel
 * for a word, enough people must have seen it, and its account is asked after.
 */
async function confirmationOf(
  name: string,
  candidate: Candidate,
  saysSo: (test: TestResult) => boolean,
  deps: RelayDeps,
): Promise<TestResult | null> {
  const { witnesses } = deps;
  if (witnesses.wasFoundWell(name)) return null;
  const word = await testOf(candidate, deps);
  if (word === null && !witnesses.areEnough(name)) return null;
  const test = word ?? (await deps.accountTest(candidate));
  if (test.untested) return null;
  if (saysSo(test)) return test;
  witnesses.foundWell(name);
  return null;
}

/** By the model that the operator has named for it, else the first that a test can ask; null where there is none. */
async function testOf(
  candidate: Candidate,
  { ownTest }: Pick<RelayDeps, 'ownTest'>,
): Promise<TestResult | null> {
  const { channel } = candidate;
  for (const model of channel.testModel ? [channel.testModel] : channel.models) {
    const test = await ownTest(candidate, model);
    if (!test.untested) return test;
  }
  return null;
}

/** Too many calls are no fault of a channel's, nor of a key's. */
const isFault = ({ success, isBusy }: TestResult): boolean => !(success || isBusy);
const isOfKey = ({ isKeyDead, isKeysFault, isBusy }: TestResult): boolean =>
  !isBusy && (isKeyDead || isKeysFault) === true;

function once(
  name: string,
  channel: RoutedChannel,
  { disabling, log }: Pick<RelayDeps, 'disabling' | 'log'>,
  work: () => Promise<unknown>,
): void {
  if (disabling.has(name)) return;
  disabling.add(name);
  work()
    .catch((error: unknown) => log.error('channel.disable', { channel_id: channel.id, error }))
    .finally(() => disabling.delete(name));
}
