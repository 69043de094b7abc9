/**
 * What the gateway's own tests mean for a channel's service. One slow or failed test means little: a channel is taken
 * out when two of its last three were bad, at once when its key was refused for good or the answer holds one of the
 * operator's words for what is final. Where a key is to blame, it goes alone; the channel goes with its last one.
 */
import { type Reason, reasonText } from '../../core/reasons.ts';
import { wordsIn } from '../../options/words.ts';
import type { Deps } from '../deps.ts';
import { cameBack, tellDisabled } from './alerts.ts';
import { CHANNEL_STATUS } from './facts.ts';
import { type Disabling, disableChannel, disableKey, enableChannel, rememberTest } from './health.ts';
import type { RoutedChannel } from './model.ts';
import type { TestResult } from './test-result.ts';

type JudgeDeps = Pick<Deps, 'db' | 'changes' | 'options' | 'alerts' | 'log'>;

const BAD_TESTS = 2;

/** Follows from the outcome of a test that the gateway made by itself, or of all channels. */
export async function judgeTest(deps: JudgeDeps, channel: RoutedChannel, result: TestResult): Promise<void> {
  if (result.untested) return;
  const thresholdMs = deps.options.get('ChannelDisableThreshold') * 1_000;
  // A failure counts as endlessly slow; without a threshold nothing else is.
  const isBad = (ms: number | null) => ms === null || (thresholdMs > 0 && ms > thresholdMs);
  const ms = result.success ? result.timeMs : null;
  const recent = await rememberTest(deps, channel.id, ms);
  if (!isBad(ms)) return bringBack(deps, channel);
  if (channel.status !== CHANNEL_STATUS.enabled) return;
  if (!channel.autoBan || !deps.options.get('AutomaticDisableChannelEnabled')) return;
  const { isKeyDead = false, isKeysFault = false, reason: failed } = result;
  const hasFinalWords =
    failed !== null && wordsIn(deps.options, 'AutomaticDisableKeywords').find(reasonText(failed).en) !== null;
  const isFinal = isKeyDead || hasFinalWords;
  if (!isFinal && recent.filter(isBad).length < BAD_TESTS) return;
  const seconds = (result.timeMs / 1_000).toFixed(1);
  const reason: Reason = failed ?? { code: 'slow', values: { seconds } };
  const [key] = channel.keys;
  if (key && (isFinal || isKeysFault))
    await disableKeyAndTell(deps, channel, key, { reason, isSure: isKeyDead });
  else tellDisabled(deps, channel, { result: await disableChannel(deps, channel.id, reason), reason });
}

/** Takes the key out that was asked, and tells root where the channel goes with it. */
export async function disableKeyAndTell(
  deps: Pick<Deps, 'changes' | 'alerts' | 'log'>,
  channel: { id: number; name: string },
  key: { id: number },
  { reason, isSure = false }: { reason: Reason; isSure?: boolean },
): Promise<Disabling> {
  const result = await disableKey(deps, key.id, reason, { isSure });
  if (result.key === 'disabled') {
    deps.log.warn('channel.key_disabled', {
      channel_id: channel.id,
      key_id: key.id,
      reason: reasonText(reason).en,
    });
  }
  tellDisabled(deps, channel, { result: result.channel, reason });
  return result.channel;
}

/** Puts a channel that was disabled by itself back in service, where that is switched on. */
export async function bringBack(
  deps: Pick<Deps, 'changes' | 'options' | 'alerts' | 'log'>,
  channel: RoutedChannel,
): Promise<void> {
  if (channel.status !== CHANNEL_STATUS.autoDisabled) return;
  if (!deps.options.get('AutomaticEnableChannelEnabled')) return;
  if (!(await enableChannel(deps, channel.id))) return;
  deps.log.info('channel.enabled', { channel_id: channel.id });
  deps.alerts.send(cameBack(channel));
}
