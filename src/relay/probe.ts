/** Asks one channel outside of any call: does it answer, and which models does it have. */
import { fail } from '../core/errors.ts';
import { requestId } from '../core/ids.ts';
import { parseJson } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import type { RoutedChannel } from '../modules/channel/model.ts';
import type { ChannelProbe, UpstreamAccess } from '../modules/channel/probe.ts';
import { findProvider } from '../providers/registry.ts';
import { attempt } from './attempt.ts';
import { readBounded } from './body.ts';
import type { RelayDeps } from './deps.ts';
import { cleanText, failureOfStatus } from './outcome.ts';
import { siteOf } from './prepare.ts';
import type { RelayRequest } from './request.ts';

/** An operator waits for the result. */
const TEST_MS = 60_000;
const LIST_MS = 15_000;
const TEST_TOKENS = 10;

export const createProbe = (deps: RelayDeps): ChannelProbe => ({
  async test(channel, model) {
    const startedAt = performance.now();
    const message = await askForAWord(channel, model, deps);
    return { success: message === '', message, timeMs: performance.now() - startedAt };
  },
  listModels: (access) => listModels(access, deps),
});

/** Why the channel did not answer; empty when it did. */
async function askForAWord(channel: RoutedChannel, model: string, deps: RelayDeps): Promise<string> {
  const [key] = channel.keys;
  if (!key) return 'the channel has no key';
  const body = { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: TEST_TOKENS };
  const request: RelayRequest = {
    id: requestId(),
    ip: '',
    operation: 'chat',
    dialect: openaiChat,
    headers: new Headers(),
    query: new URLSearchParams(),
    path: {},
    joiner: null,
    body,
    facts: openaiChat.readRequest(body, {}),
    startedAt: performance.now(),
    wantsCost: false,
    left: new AbortController().signal,
    ended: () => undefined,
  };
  const { setting } = channel;
  const deadlines = { ...setting.deadlines, totalMs: TEST_MS };
  const patient = { ...channel, setting: { ...setting, deadlines } };
  const outcome = await attempt(request, { channel: patient, key }, deps);
  return outcome.kind === 'failed' ? outcome.reason : '';
}

async function listModels(access: UpstreamAccess, deps: RelayDeps): Promise<string[]> {
  const refuse = (reason: string) => fail('CHANNEL_FETCH', { params: { reason } });
  const provider = findProvider(access.type);
  const { key, other, organization, privateAllowed, proxy } = access;
  const baseUrl = access.baseUrl || provider?.baseUrl || '';
  const listing = provider?.listModels?.({
    id: 0,
    baseUrl,
    key,
    other,
    organization,
    site: siteOf(deps),
  });
  if (!provider || !listing) throw refuse('this type of channel has no list of models');
  const signal = AbortSignal.timeout(LIST_MS);
  const channel = { baseUrl: access.baseUrl, privateAllowed, setting: { proxy } };
  const response = await deps.dialer
    .open(listing.request, { channel, connectMs: LIST_MS, signal })
    .catch((error: unknown) => {
      throw refuse(
        signal.aborted ? 'no answer in time' : `no connection (${cleanText(String(error), [key])})`,
      );
    });
  const text = await readBounded(response, limits.upstreamErrorBytes * 4).catch(() => '');
  if (!response.ok) throw refuse(failureOfStatus(response.status, text, provider, null, [key]).reason);
  const names = listing.read(parseJson(text));
  if (names.length === 0) throw refuse('the answer holds no models');
  return names;
}
