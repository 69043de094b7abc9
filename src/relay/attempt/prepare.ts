/** What goes up in one try: the upstream's address, headers and body, and how its answer is to be read. */
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelVariant } from '../../core/model-variant.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import type { Passage } from '../../dialects/passage.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import {
  type Ask,
  type Provider,
  TokenRefused,
  type UpstreamCall,
  type UpstreamRequest,
} from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { Answer } from '../answer/answers.ts';
import type { RelayDeps } from '../deps.ts';
import type { Form, RelayRequest } from '../request.ts';
import { countedForm, mediaLoader } from './media.ts';
import { modelOptions, upstreamModel } from './model-options.ts';
import { type Failure, failureOfStatus, failureOfTransport } from './outcome.ts';
import { overridden } from './override.ts';
import { passageTo } from './passages.ts';
import { withoutSurcharges } from './surcharge.ts';
import { writeWish } from './thinking-wish.ts';
import { comesAtOnce, withToolsLimited } from './tool-limits.ts';
import { failureOfError } from './transport-fault.ts';
import { vendorCall } from './vendor.ts';

export interface Prepared {
  candidate: Candidate;
  /** The upstream's name of the model. */
  model: string;
  provider: Provider;
  passage: Passage;
  /** Fields of the caller's that were left out: misspelled ones of the gateway, and what is dearer than he pays for. */
  dropped: readonly string[];
  upstream: UpstreamRequest;
  /** The paid tools that it may set off, as they were asked for. */
  paid: PaidTools;
  /** The same with the limits that go up with them: so much is held. */
  held: PaidTools;
  /** Goes up instead of a body. */
  form?: Form;
  /** Puts the vendor's own words into those of the upstream's dialect. */
  finish?: (answer: Response, ask: Ask) => Promise<Response>;
}

/** What must not be seen of the channel in an upstream's words. */
export const hiddenOf = ({ candidate, upstream }: Prepared): string[] => [
  candidate.key.value,
  ...(upstream.secrets ?? []),
  ...(URL.canParse(upstream.url) ? [new URL(upstream.url).hostname] : []),
];

export const hasPaid = ({ paid }: Prepared): boolean => paid.tools.length > 0;

/** What of an answer is known before it comes. */
export const answerTo = ({ candidate, model, passage, dropped, paid }: Prepared): Answer => ({
  candidate,
  model,
  converted: passage.converted ?? null,
  lost: [...new Set([...dropped, ...(passage.converted?.lost ?? [])])],
  paid,
});

/** What upstreams may know of who calls. */
export const siteOf = ({ options, env }: Pick<RelayDeps, 'options' | 'env'>) => ({
  name: options.get('SystemName'),
  address: env.SERVER_ADDRESS || options.get('ServerAddress'),
});

/** The upstream's address, headers and body; a failure when the provider cannot make them (a key it cannot use). */
export async function prepare(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
): Promise<Prepared | Failure> {
  const { channel, key } = candidate;
  const provider = findProvider(channel.type);
  const rules = modelOptions(deps.options);
  const { model, variant } = upstreamModel(channel, request.facts.model, rules);
  const passage = provider && passageTo({ provider, channel, key: key.value, model }, request, deps.options);
  if (!provider || !passage) return failureOfTransport('unserved');
  const asItCame = rules.passThrough && !passage.converted;
  const overrides = asItCame ? null : channel.paramOverride;
  const call: Omit<UpstreamCall, 'body'> = {
    operation: request.operation,
    dialect: passage.upstream,
    channel: {
      id: channel.id,
      baseUrl: channel.baseUrl || provider.baseUrl || '',
      key: key.value,
      organization: channel.organization,
      other: channel.other,
      site: siteOf(deps),
    },
    model,
    requested: request.facts.model,
    stream: provider.streamOnly === true || (request.facts.stream && !provider.plainOnly),
    query: request.query,
    headers: request.headers,
    settings: asItCame ? rules.bareSettings : rules.settings,
    http: vendorCall(channel, deps),
    // Of a form nothing else goes to vendors that want it otherwise.
    asked: request.upload && overrides ? overridden({ ...request.body }, overrides) : request.body,
    form: request.upload ? countedForm(request.upload, request, deps) : null,
  };
  try {
    const { body: asked, dropped } = channel.setting.allowSurcharges
      ? { body: request.body, dropped: [] }
      : withoutSurcharges(request.body, request);
    const told = asItCame ? asked : withSystemPrompt(asked, request, channel);
    if (provider.inlineMedia) await passage.inline?.(told, mediaLoader(request, deps));
    const form = request.upload?.formFor({
      model,
      fields: asked,
      set: overrides ? overridden({}, overrides) : {},
    });
    const wish = variant && { ...variant, share: rules.thinkingShare };
    const written = form ? {} : bodyFor(told, { wish, overrides }, provider, passage, call);
    const { upstream: dialect } = passage;
    const atOnce = comesAtOnce(request, provider);
    const tools = withToolsLimited(
      written,
      { dialect, provider, model, channel: call.channel, atOnce },
      deps.options,
    );
    const body = form ? '' : JSON.stringify(tools.body);
    const whole: UpstreamCall = { ...call, body };
    const upstream = await provider.prepare(whole);
    const sent = upstream.body === undefined ? form : undefined;
    const headers = { ...upstream.headers, ...channel.setting.headers, ...sent?.headers };
    const finish = provider.finish?.[request.operation];
    return {
      candidate,
      provider,
      passage,
      model,
      dropped: [...(request.dropped ?? []), ...dropped],
      upstream: { body, ...upstream, headers },
      paid: tools.paid,
      held: tools.held,
      form: sent,
      finish: finish && ((answer, ask) => finish(answer, whole, ask)),
    };
  } catch (error) {
    if (error instanceof AppError && OF_NO_CHANNEL.has(error.code)) throw error;
    if (error instanceof AppError && error.code === 'invalid_request') {
      // Another upstream may have a word for it.
      return { ...failureOfTransport('unserved'), error };
    }
    if (error instanceof TokenRefused) {
      const { answer, secrets } = error;
      const status = answer.status < 400 ? 502 : answer.status;
      return failureOfStatus(status, answer.text, provider, null, [key.value, ...secrets]);
    }
    return failureOfError(error, false);
  }
}

/** What no other channel would change: this process has no room, or the caller has gone. */
const OF_NO_CHANNEL = new Set(['OVERLOADED', 'client_gone']);

function withSystemPrompt(
  body: JsonObject,
  { dialect }: RelayRequest,
  { setting }: RoutedChannel,
): JsonObject {
  const { systemPrompt, systemPromptOverride } = setting;
  return systemPrompt === '' ? body : dialect.addSystem(body, systemPrompt, systemPromptOverride);
}

interface Changes {
  /** What the model's name asks for; null for nothing. */
  wish: (Pick<ModelVariant, 'wish'> & { share: number }) | null;
  /** The channel's own fields. */
  overrides: Readonly<JsonObject> | null;
}

function bodyFor(
  told: JsonObject,
  { wish, overrides }: Changes,
  provider: Provider,
  passage: Passage,
  call: Omit<UpstreamCall, 'body'>,
): JsonObject {
  const forwarded = passage.request(told, {
    model: call.model,
    stream: call.stream,
    askUsage: provider.streamUsage,
  });
  if (wish) {
    const { extensions } = provider;
    const { model, dialect } = call;
    writeWish(forwarded, wish.wish, { dialect: dialect.id, model, share: wish.share, extensions });
  }
  const body = provider.adjustBody?.(forwarded, call) ?? forwarded;
  return overrides ? overridden(body, overrides) : body;
}
