/** Tests of a channel and lists of its upstream's models. The calls themselves are the relay's and are handed in. */

import type { Actor } from '../../core/actor.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { reasonText } from '../../core/reasons.ts';
import { hasRole } from '../../core/roles.ts';
import { asIs, filled, type Text } from '../../core/text.ts';
import type { Deps } from '../deps.ts';
import { writeLog } from '../log/service.ts';
import { type AddressDeps, calledAddress, checkAddress, checkNamedInKeys, leadsInside } from './address.ts';
import { CHANNEL_STATUS, cleanAddress } from './facts.ts';
import { checkAddressNeeded, checkRegion, knownType } from './fields.ts';
import { recordFailedTest, recordTest } from './health.ts';
import { bringBack, judgeTest } from './judge.ts';
import { splitKeys } from './keys.ts';
import { keyOpener, loadForTest } from './load.ts';
import type { RoutedChannel } from './model.ts';
import { checkNoMask } from './secrets.ts';
import type { TestResult } from './test-result.ts';

/** What is needed to ask an upstream for its models. */
export interface UpstreamAccess {
  type: number;
  baseUrl: string;
  key: string;
  other: string;
  organization: string;
  proxy: string | null;
  privateAllowed: boolean;
  /** Of each answer: less than an operator's own upstreams may take. */
  bounds?: { ms: number; bytes: number };
}

/** How a test is made. */
export interface TestWish {
  /** Asks for a stream, and is content with its beginning. */
  stream?: boolean;
  timeoutMs?: number;
  /** Ends the test early. */
  signal?: AbortSignal;
}

export interface ChannelProbe {
  /** One short call with `model`. Never throws for an upstream's fault. */
  test(channel: RoutedChannel, model: string, wish?: TestWish): Promise<TestResult>;
  /** Names of the upstream's models. Throws CHANNEL_FETCH. */
  listModels(access: UpstreamAccess): Promise<string[]>;
  /** US dollars on the account behind the key. Throws CHANNEL_BALANCE_NONE, CHANNEL_BALANCE. */
  balance(access: UpstreamAccess): Promise<number>;
}

export interface AccountProbe {
  /** Whether the account behind the first key is answered at all. Never throws for an upstream's fault. */
  account(channel: RoutedChannel, wish?: Pick<TestWish, 'timeoutMs'>): Promise<TestResult>;
}

type ProbeDeps = Pick<Deps, 'db' | 'changes' | 'secrets' | 'log' | 'options' | 'env' | 'alerts'>;

interface TestOrder {
  id: number;
  model: string | undefined;
  tester: Tester;
  wish?: TestWish;
  isJudged?: boolean;
}

/** Who tests, for the log row. */
export interface Tester {
  id: number;
  username: string;
  group: string;
  ip: string;
}

/**
 * Tests a channel of any status with `model`, its test model or its first one, and notes time and outcome. The outcome
 * of a judged one may take the channel out of service. Throws CHANNEL_NOT_FOUND.
 */
export async function testChannel(
  deps: ProbeDeps,
  probe: ChannelProbe,
  { id, model, tester, wish, isJudged }: TestOrder,
): Promise<TestResult & { model: string }> {
  const channel = await loadForTest(deps.db.orm, id, keyOpener(deps));
  if (!channel) throw fail('CHANNEL_NOT_FOUND');
  const tested = model?.trim() || channel.testModel || (channel.models[0] ?? '');
  const result = { ...(await testKeys(probe, channel, tested, wish)), model: tested };
  // Ended early it says nothing of the channel.
  if (wish?.signal?.aborted) return result;
  if (result.success) await recordTest(deps, id, { ms: result.timeMs, model: tested });
  else if (result.reason && !result.untested)
    await recordFailedTest(deps, id, { reason: result.reason, ms: result.timeMs, model: tested });
  if (isJudged) await judgeTest(deps, channel, result);
  else if (result.success) await bringBack(deps, channel);
  await writeLog(deps.db.orm, {
    type: 'test',
    user: tester,
    channelId: id,
    modelName: tested,
    useTimeSec: Math.round(result.timeMs / 1000),
    ip: tester.ip,
    text: result.reason
      ? filled(FAILED, { reason: reasonText(result.reason) })
      : filled(PASSED, { name: asIs(channel.name) }),
  });
  return result;
}

/**
 * One test, or of a channel that is out of service one a key, as long as the keys are to blame: any of them may be well
 * again. Of more keys than one test asks, others are asked each time.
 */
async function testKeys(
  probe: ChannelProbe,
  channel: RoutedChannel,
  model: string,
  wish: TestWish | undefined,
): Promise<TestResult> {
  const { keys, status } = channel;
  if (status === CHANNEL_STATUS.enabled) return probe.test(channel, model, wish);
  const from = keys.length > limits.keysOfTest ? Math.floor(Math.random() * keys.length) : 0;
  const inTurn = [...keys.slice(from), ...keys.slice(0, from)];
  for (let next = 0; ; next++) {
    const result = await probe.test({ ...channel, keys: inTurn.slice(next) }, model, wish);
    const isLast = next + 1 >= Math.min(inTurn.length, limits.keysOfTest);
    if (result.success || !result.isKeysFault || isLast || wish?.signal?.aborted) return result;
  }
}

/**
 * Models of an upstream that is not saved yet. Throws CHANNEL_TYPE, CHANNEL_KEY_NEEDED, CHANNEL_SECRET_AGAIN (the address
 * is one as it is shown), CHANNEL_ADDRESS, CHANNEL_FETCH.
 */
export async function fetchModels(
  deps: AddressDeps,
  probe: ChannelProbe,
  actor: Actor,
  given: { type: number; baseUrl: string; key: string; other: string },
): Promise<string[]> {
  knownType(given.type);
  const [key] = splitKeys(given.type, given.key);
  if (!key) throw fail('CHANNEL_KEY_NEEDED');
  const baseUrl = cleanAddress(given.baseUrl);
  checkNoMask({ base_url: baseUrl });
  const address = calledAddress({ type: given.type, base_url: baseUrl });
  checkAddress(address, actor, deps);
  checkNamedInKeys({ type: given.type, baseUrl, keys: [key] }, deps);
  const privateAllowed = hasRole(actor.role, 'root') && (await leadsInside(address, deps)) === true;
  checkAddressNeeded(given.type, baseUrl);
  checkRegion(given.type, given.other, [key]);
  const { type, other } = given;
  return sorted(
    await probe.listModels({ type, baseUrl, key, other, organization: '', proxy: null, privateAllowed }),
  );
}

/** Models of a saved channel's upstream, asked with its own key. Throws CHANNEL_NOT_FOUND, CHANNEL_KEY_NEEDED, CHANNEL_FETCH. */
export async function fetchModelsOf(deps: ProbeDeps, probe: ChannelProbe, id: number): Promise<string[]> {
  const channel = await loadForTest(deps.db.orm, id, keyOpener(deps));
  if (!channel) throw fail('CHANNEL_NOT_FOUND');
  return sorted(await probe.listModels(accessOf(channel)));
}

/** How a saved channel's upstream is asked, with its first key. Throws CHANNEL_KEY_NEEDED. */
export function accessOf(channel: RoutedChannel): UpstreamAccess {
  const [key] = channel.keys;
  if (!key) throw fail('CHANNEL_KEY_NEEDED');
  const { type, baseUrl, other, organization, privateAllowed } = channel;
  const { proxy } = channel.setting;
  return { type, baseUrl, key: key.value, other, organization, proxy, privateAllowed };
}

const PASSED: Text = { zh: '渠道测试成功：{name}', en: 'Channel test passed: {name}' };
const FAILED: Text = { zh: '渠道测试失败：{reason}', en: 'Channel test failed: {reason}' };

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
