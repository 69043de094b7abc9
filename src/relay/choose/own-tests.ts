/** Tests of our own, by which the failure of a call is weighed before anything is taken out of service. */
import { limits } from '../../core/limits.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { AccountProbe, ChannelProbe } from '../../modules/channel/probe.ts';
import type { TestResult } from '../../modules/channel/test-result.ts';
import type { Options } from '../../options/store.ts';

/** Asks a channel for a word, with this key and for this model. Never rejects for an upstream's fault. */
export type OwnTest = (candidate: Candidate, model: string) => Promise<TestResult>;

/** Asks after the account behind this key, of a channel that no word can be asked of. Never rejects. */
export type AccountTest = (candidate: Candidate) => Promise<TestResult>;

export const accountTest =
  (probe: AccountProbe, options: Options): AccountTest =>
  ({ channel, key }) =>
    probe.account({ ...channel, keys: [key] }, { timeoutMs: patienceMs(options) });

/**
 * One failure makes both its breaker and whoever disables the channel ask how it is: who asks while a test is under way
 * shares its result, so that an upstream in need is not asked twice for the same word.
 */
export function shareTests(probe: Pick<ChannelProbe, 'test'>, options: Options): OwnTest {
  const underWay = new Map<string, Promise<TestResult>>();
  return ({ channel, key }, model) => {
    const name = `${channel.id} ${key.id} ${model}`;
    const shared = underWay.get(name);
    if (shared) return shared;
    const timeoutMs = patienceMs(options);
    const test = probe
      .test({ ...channel, keys: [key] }, model, { timeoutMs })
      .finally(() => underWay.delete(name));
    underWay.set(name, test);
    return test;
  };
}

/** How long such a test may take: slower than a healthy answer is too slow still. */
const patienceMs = (options: Options): number =>
  options.get('ChannelDisableThreshold') * 1_000 || limits.halfOpenMs;
