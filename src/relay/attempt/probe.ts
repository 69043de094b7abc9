/** Asks one channel outside of any call: does it answer, which models does it have, what is left on its account. */

import { AppError, fail } from '../../core/errors.ts';
import { requestId } from '../../core/ids.ts';
import { type JsonObject, parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { reasonText } from '../../core/reasons.ts';
import type { Text } from '../../core/text.ts';
import { thinksUnseen } from '../../core/thinkers.ts';
import { isTooLarge } from '../../core/too-large.ts';
import { isSameHost } from '../../core/url-path.ts';
import type { Dialect, Operation } from '../../dialects/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { limitField } from '../../dialects/openai-chat/request.ts';
import { openaiEmbeddings } from '../../dialects/plain/openai-embeddings.ts';
import { openaiRerank } from '../../dialects/plain/openai-rerank.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import {
  type AccountProbe,
  accessOf,
  type ChannelProbe,
  type TestWish,
  type UpstreamAccess,
} from '../../modules/channel/probe.ts';
import { secretTexts } from '../../modules/channel/secrets.ts';
import type { TestResult } from '../../modules/channel/test-result.ts';
import type { HeldBytes } from '../../platform/body-budget.ts';
import {
  type ChannelAccess,
  type Provider,
  TokenRefused,
  type UpstreamRequest,
} from '../../providers/provider.ts';
import { addressAt, findProvider } from '../../providers/registry.ts';
import type { Unshown } from '../answer/answers.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { attempt } from './attempt.ts';
import { inTime } from './lifeline.ts';
import { type Failure, failureOfStatus, failureOfToken, failureOfTransport, stopped } from './outcome.ts';
import { siteOf } from './prepare.ts';
import { readWhole } from './send.ts';
import { meaningOf } from './statuses.ts';
import { failureOfError } from './transport-fault.ts';

/** An operator waits for the result. */
const TEST_MS = 60_000;
/** Lists and balances of an operator's own upstreams. */
const OPERATORS = { ms: 15_000, bytes: limits.upstreamErrorBytes * 4 };
const TEST_TOKENS = 10;
/** Models that think before they speak say nothing within ten tokens. */
const THINKER_TOKENS = 64;

export const createProbe = (deps: RelayDeps): ChannelProbe & AccountProbe => ({
  async test(channel, model, wish = {}) {
    const question = questionFor(model, wish.stream ?? false, findProvider(channel.type));
    if (!question) return UNTESTED;
    const startedAt = performance.now();
    const failure = await askForAWord(channel, question, wish, deps);
    const timeMs = performance.now() - startedAt;
    return failure ? failedTest(failure, timeMs) : { success: true, reason: null, timeMs };
  },
  account: (channel, { timeoutMs = TEST_MS } = {}) => testAccount(channel, timeoutMs, deps),
  listModels: (access) => listModels(access, deps),
  balance: (access) => askBalance(access, deps),
});

const UNTESTED: TestResult = {
  success: false,
  untested: true,
  reason: { code: 'untested' },
  timeMs: 0,
};

const failedTest = (failure: Failure, timeMs: number): TestResult => ({
  success: false,
  reason: failure.reason,
  timeMs,
  isLate: failure.fault === 'timeout',
  isKeyDead: failure.keyDead !== null,
  isKeysFault: failure.mayBeKey,
  isBusy: meaningOf(failure.status).isBusy ?? false,
  // It was cut off by a stop of ours, or the channel serves no such question.
  ...(failure.blame === 'nobody' && { untested: true }),
});

interface Question {
  operation: Operation;
  dialect: Dialect;
  body: JsonObject;
}

const EMBEDS = /embed|^bge-|m3e|^gte-|^jina-clip/i;
const RANKS = /rerank|colbert/i;
const NO_WORDS = /^(dall-e|gpt-image|tts-|whisper|sora|flux|stable-diffusion|suno_|mj_)|transcribe|realtime/i;
const NAMED_FOR_THOUGHT = /think|reason|-r1/i;

/** The shortest question that a model of this name answers; null for one that makes pictures or sound. */
function questionFor(model: string, stream: boolean, provider: Provider | undefined): Question | null {
  const chats = provider?.speaks.chat !== undefined || provider?.wire !== undefined;
  if (NO_WORDS.test(model)) return null;
  if (RANKS.test(model)) {
    const body = { model, query: 'hi', documents: ['hi', 'bye'] };
    return { operation: 'rerank', dialect: openaiRerank, body };
  }
  if (EMBEDS.test(model) || !chats) {
    return { operation: 'embeddings', dialect: openaiEmbeddings, body: { model, input: 'hi' } };
  }
  const thinks = thinksUnseen(model) || NAMED_FOR_THOUGHT.test(model);
  const body = {
    model,
    messages: [{ role: 'user', content: 'hi' }],
    [limitField(model)]: thinks ? THINKER_TOKENS : TEST_TOKENS,
    ...(stream ? { stream: true } : {}),
  };
  return { operation: 'chat', dialect: openaiChat, body };
}

/** Why the channel did not answer; null when it did. */
async function askForAWord(
  channel: RoutedChannel,
  { operation, dialect, body }: Question,
  { timeoutMs = TEST_MS, signal }: TestWish,
  deps: RelayDeps,
): Promise<Failure | null> {
  const [key] = channel.keys;
  if (!key) return failureOfTransport('no-key');
  const held: Pick<HeldBytes, 'release'>[] = [];
  const request: RelayRequest = {
    id: requestId(),
    ip: '',
    userId: 0,
    operation,
    dialect,
    headers: new Headers(),
    query: new URLSearchParams(),
    path: {},
    joiner: null,
    body,
    facts: requestFacts(dialect, body, {}),
    startedAt: performance.now(),
    wantsCost: false,
    left: signal ?? new AbortController().signal,
    isOwnTest: true,
    hold: (more) => held.push(more),
    whenSent: () => undefined,
    sent: () => undefined,
    heldUntil: () => undefined,
    ended: () => undefined,
  };
  const { setting } = channel;
  const deadlines = { ...setting.deadlines, firstContentMs: timeoutMs, totalMs: timeoutMs };
  const patient = { ...channel, setting: { ...setting, deadlines } };
  try {
    const outcome = await attempt(request, { channel: patient, key }, deps);
    if (outcome.kind === 'stream') outcome.pump.stop('client_gone');
    if (outcome.kind === 'unshown') return failureOfUnshown(outcome);
    return outcome.kind === 'failed' ? outcome : null;
  } finally {
    for (const { release } of held) release();
  }
}

/** Nobody was there to see it, or it did not answer as a channel should. */
function failureOfUnshown({ why }: Unshown): Failure | null {
  if (why === 'left') return null;
  return failureOfTransport(why === 'late' ? 'timeout' : 'malformed');
}

/** The provider's view of a channel that need not be saved. */
const accessTo = (access: UpstreamAccess, provider: Provider, deps: RelayDeps): ChannelAccess => ({
  id: 0,
  baseUrl: addressAt(provider, access.baseUrl),
  key: access.key,
  other: access.other,
  organization: access.organization,
  site: siteOf(deps),
});

/** What must not be seen in the vendor's words. Headers and override do not go there; its host its reader knows. */
const hiddenIn = (
  { secrets = [] }: UpstreamRequest,
  { key, baseUrl }: Pick<UpstreamAccess, 'key' | 'baseUrl'>,
): string[] => [key, ...secrets, ...secretTexts({ base_url: baseUrl })];

/** The text of a good answer, read whole and in time, or why there is none. */
const askOnce = (
  request: UpstreamRequest,
  access: UpstreamAccess,
  provider: Provider,
  { ms, bytes }: NonNullable<UpstreamAccess['bounds']>,
  deps: RelayDeps,
): Promise<string | Failure> =>
  inTime(ms, deps, async (line) => {
    const { type, baseUrl, privateAllowed, proxy } = access;
    const channel = { type, baseUrl, privateAllowed, setting: { proxy } };
    try {
      const response = await deps.dialer.open(request, { channel, connectMs: ms, signal: line.signal });
      const text = readWhole(response, bytes, deps);
      if (response.ok) return await text;
      // The status alone says enough.
      const said = await text.catch(() => '');
      return failureOfStatus(response.status, said, provider, null, hiddenIn(request, access));
    } catch (error) {
      return deps.stopping.signal.aborted ? stopped() : failureOfError(error, line.isLate);
    }
  });

/** Asks the vendor, and answers its JSON. Throws what `refuse` makes of a reason fit to be shown. */
const asker =
  (access: UpstreamAccess, provider: Provider, refuse: (reason: Text) => AppError, deps: RelayDeps) =>
  async (request: UpstreamRequest): Promise<unknown> => {
    // What users ask goes to registered addresses alone.
    if (access.bounds && !isSameHost(request.url, access.baseUrl))
      throw refuse(reasonText({ code: 'refused' }));
    const answer = await askOnce(request, access, provider, access.bounds ?? OPERATORS, deps);
    if (typeof answer !== 'string') throw refuse(reasonText(answer.reason));
    return parseJson(answer);
  };

/**
 * By the list of its models, which costs nothing: a good answer says that key and host are well, a dead key and a host that
 * fails that they are not. Whatever else it says is about the list alone, which some hosts do not have and some keys may
 * not see.
 */
async function testAccount(channel: RoutedChannel, timeoutMs: number, deps: RelayDeps): Promise<TestResult> {
  const access = accessOf(channel);
  const provider = findProvider(access.type);
  const listing = listingOf(access, provider, deps);
  if (!provider || !listing) return UNTESTED;
  if (listing instanceof TokenRefused) return failedTest(failureOfToken(listing, provider, access.key), 0);
  const startedAt = performance.now();
  const bounds = { ...OPERATORS, ms: timeoutMs };
  const answer = await askOnce(listing.request, access, provider, bounds, deps);
  const timeMs = performance.now() - startedAt;
  // Whoever has more to tell than is read is well.
  if (typeof answer === 'string' || isTooLarge(answer.error)) return { success: true, reason: null, timeMs };
  const isOfList = answer.keyDead === null && answer.status >= 400 && answer.status < 500;
  return isOfList ? UNTESTED : failedTest(answer, timeMs);
}

async function listModels(access: UpstreamAccess, deps: RelayDeps): Promise<string[]> {
  const refuse = (reason: Text) => fail('CHANNEL_FETCH', { params: { reason } });
  const provider = findProvider(access.type);
  const listing = listingOf(access, provider, deps);
  if (!provider || !listing)
    throw refuse({ zh: '该类型的渠道没有模型列表', en: 'this type of channel has no list of models' });
  if (listing instanceof TokenRefused) throw refuse({ zh: '密钥无法使用', en: 'the key cannot be used' });
  const names = listing.read(await asker(access, provider, refuse, deps)(listing.request));
  if (names.length === 0) throw refuse({ zh: '回答中没有模型', en: 'the answer holds no models' });
  return names;
}

/** What the vendor is asked, why it cannot be with such a key, or nothing where it has no list. */
function listingOf(access: UpstreamAccess, provider: Provider | undefined, deps: RelayDeps) {
  try {
    return provider?.listModels?.(accessTo(access, provider, deps));
  } catch (error) {
    // The key says no region.
    if (error instanceof TokenRefused) return error;
    throw error;
  }
}

async function askBalance(access: UpstreamAccess, deps: RelayDeps): Promise<number> {
  const refuse = (reason: Text) => fail('CHANNEL_BALANCE', { params: { reason } });
  const provider = findProvider(access.type);
  if (!provider?.balance) throw fail('CHANNEL_BALANCE_NONE');
  const ask = asker(access, provider, refuse, deps);
  const balance = await provider.balance(accessTo(access, provider, deps), ask).catch((error: unknown) => {
    throw error instanceof AppError ? error : refuse({ zh: '无法读懂回答', en: 'the answer cannot be read' });
  });
  if (balance === null) throw refuse({ zh: '回答中没有余额', en: 'the answer does not say' });
  return balance;
}
