/**
 * Which way a call takes to a provider: where both speak one dialect it passes as it is; else it is read and written
 * anew. Nothing is made for a call that passes.
 */
import { type JsonObject, parseJson } from '../../../core/json.ts';
import type { Effort } from '../../../core/openai-thinkers.ts';
import { own } from '../../../core/own.ts';
import { nowSec } from '../../../core/time.ts';
import type { ChatExtension } from '../../../dialects/chat-extension.ts';
import type { StreamReader, UpstreamWire } from '../../../dialects/codec.ts';
import { type Conversion, convertingPassage } from '../../../dialects/convert.ts';
import type { SpokenDialect } from '../../../dialects/dialect.ts';
import { type Passage, samePassage } from '../../../dialects/passage.ts';
import { plainPassage } from '../../../dialects/plain/passage.ts';
import { codecOf, wireOf } from '../../../dialects/registry.ts';
import { type MarkOf, withOwnSeals } from '../../../dialects/sealed-reasoning.ts';
import type { RoutedChannel } from '../../../modules/channel/model.ts';
import type { Options } from '../../../options/store.ts';
import { answerFilter } from '../../../options/words.ts';
import type { Provider } from '../../../providers/provider.ts';
import { addressAt } from '../../../providers/registry.ts';
import type { UpstreamModel } from '../../charge/upstreams.ts';
import type { RelayRequest } from '../../request.ts';
import { effortAt } from './effort.ts';
import { modelOptions } from './model-options.ts';

/** Who is asked, as far as the way depends on it. */
export interface PassageTarget {
  provider: Provider;
  channel: Pick<RoutedChannel, 'setting' | 'baseUrl'>;
  key: string;
  /** The upstream's name of the model. */
  model: string;
  effort: Effort | undefined;
  /** Absent of a call that is only written, to see what it would be. */
  markOf?: MarkOf;
}

/** The same before it is known how much is to be thought there. */
export interface WayTarget extends Omit<PassageTarget, 'channel' | 'effort'>, Pick<UpstreamModel, 'variant'> {
  channel: Pick<RoutedChannel, 'setting' | 'baseUrl' | 'paramOverride'>;
}

/** The way of one attempt, and what goes up with it. */
export interface Way {
  passage: Passage;
  /** Nothing is added that operators would add. */
  asItCame: boolean;
  /** The channel's own fields; null for none. */
  overrides: Readonly<JsonObject> | null;
  effort: Effort | undefined;
}

/**
 * Null when there is none. By a caller's words alone it is told whether a call could pass as it came: any other has the
 * channel's fields, which may ask for another way by how much they have it think.
 */
export function wayOf(target: WayTarget, request: RelayRequest, options: Options): Way | null {
  const { variant, channel } = target;
  const by = (overrides: Way['overrides']) => {
    const effort = effortAt({ variant, overrides }, request);
    const passage = passageTo({ ...target, effort }, request, options);
    return passage && { passage, overrides, effort };
  };
  const bare = modelOptions(options).passThrough ? by(null) : null;
  if (bare && !bare.passage.converted) return { ...bare, asItCame: true };
  const way = by(channel.paramOverride);
  return way && { ...way, asItCame: false };
}

/** The way of one attempt; null when there is none. */
function passageTo(target: PassageTarget, request: RelayRequest, options: Options): Passage | null {
  const { provider } = target;
  const { operation, dialect } = request;
  const spoken = spokenAt(target, request);
  if (operation !== 'chat') {
    return plainPassage(dialect, spoken, { path: request.path, filter: answerFilter(options) });
  }
  if (spoken.includes(dialect)) {
    const isChecked = codecOf(dialect.id) !== undefined && answerFilter(options) !== null;
    const rewrites = mustRewrite(target, request);
    if (!isChecked && !rewrites) return samePassage(dialect);
    // Such a request changes on its way.
    const forwards = !mustInline(provider, request) && !provider.plainOnly && !provider.streamOnly;
    return converted(target, request, wireOf(dialect.id), dialect, options, {
      forwards,
      readsOnly: !rewrites,
    });
  }
  const native = spoken.find(({ id }) => wireOf(id));
  if (native) return converted(target, request, wireOf(native.id), native, options);
  return converted(target, request, vendorWire(provider), dialect, options);
}

interface SpokenTo extends Omit<PassageTarget, 'channel'> {
  channel: Pick<RoutedChannel, 'baseUrl'>;
}

/** What is spoken to an upstream in such a call, the native dialect first; none where it speaks a wire of its own. */
export function spokenAt(
  { provider, channel, key, model, effort }: SpokenTo,
  { operation, body }: Pick<RelayRequest, 'operation' | 'body'>,
): readonly SpokenDialect[] {
  const baseUrl = addressAt(provider, channel.baseUrl);
  return (
    provider.dialectsOf?.({ operation, model, key, baseUrl, effort, body }) ??
    provider.speaks[operation] ??
    []
  );
}

/** The dialect in whose words the body goes up; null for a vendor's own wire. */
export const writtenIn = ({ wire }: Provider, { upstream, converted }: Passage): SpokenDialect | null =>
  wire !== undefined && converted?.to === wire.id ? null : upstream;

/** Equal dialects, but the answer cannot pass as it comes, or the request not as it is. */
function mustRewrite({ provider, channel }: PassageTarget, request: RelayRequest): boolean {
  const { forceFormat, thinkingToContent } = channel.setting;
  if (thinkingToContent || mustInline(provider, request) || provider.strict === 'answers') return true;
  if (!request.facts.stream) return provider.streamOnly === true;
  return (
    provider.strict === 'streams' ||
    provider.plainOnly === true ||
    (forceFormat && request.dialect.id === 'openai-chat')
  );
}

const mustInline = (provider: Provider, { facts: { prompt } }: RelayRequest): boolean =>
  provider.inlineMedia === true && prompt.images.length + prompt.files + prompt.audioSeconds > 0;

function converted(
  target: PassageTarget,
  request: RelayRequest,
  wire: UpstreamWire | undefined,
  spoken: SpokenDialect,
  options: Options,
  more: Pick<Conversion, 'forwards' | 'readsOnly'> = {},
): Passage | null {
  const { provider, channel, model, markOf } = target;
  const codec = codecOf(request.dialect.id);
  if (!wire || !codec) return null;
  return convertingPassage({
    caller: { dialect: request.dialect, codec },
    upstream: withVendorErrors(markOf ? withOwnSeals(wire, markOf) : wire, provider),
    spoken,
    path: request.path,
    requestId: request.id,
    createdSec: nowSec(),
    extensions: extensionsAt(target),
    nameChars: provider.nameChars,
    defaultMaxTokens: defaultMaxTokens(options, model),
    thinkingToContent: channel.setting.thinkingToContent,
    ...more,
    strict: channel.setting.forceFormat,
    filter: answerFilter(options) ?? undefined,
  });
}

/** What it takes of everybody, and the thoughts of a model whose maker wants them back. */
const extensionsAt = (target: PassageTarget): ReadonlySet<ChatExtension> | undefined =>
  wantsThoughts(target)
    ? new Set<ChatExtension>([...(target.provider.extensions ?? []), 'reasoning_content'])
    : target.provider.extensions;

/** Whether its models are given back what they thought, all of them or this one. */
export const wantsThoughts = ({ provider, channel, model }: ThoughtsTarget): boolean =>
  provider.extensions?.has('reasoning_content') === true ||
  provider.wantsThoughtsBack?.({ model, baseUrl: addressAt(provider, channel.baseUrl) }) === true;

type ThoughtsTarget = Pick<SpokenTo, 'provider' | 'channel' | 'model'>;

function vendorWire({ wire }: Provider): UpstreamWire | undefined {
  if (!wire) return undefined;
  return {
    ...wire,
    readError(body) {
      const told = wire.readError(body);
      return told && { ...told.error, status: told.status };
    },
  };
}

/** A vendor that says errors in words of its own says them in streams too. */
function withVendorErrors(wire: UpstreamWire, { readAnswerError }: Provider): UpstreamWire {
  if (!readAnswerError) return wire;
  const readError = (body: unknown) => {
    const told = readAnswerError(body);
    return told ? { ...told.error, status: told.status } : wire.readError(body);
  };
  return { ...wire, readError, streamReader: () => guarded(wire.streamReader(), readAnswerError) };
}

function guarded(
  reader: StreamReader,
  readAnswerError: NonNullable<Provider['readAnswerError']>,
): StreamReader {
  return {
    push(frame) {
      const told = readAnswerError(parseJson(frame.data));
      if (!told) return reader.push(frame);
      const { message, code, type } = told.error;
      return [{ type: 'error', message, code, kind: type, status: told.status }];
    },
    end: () => reader.end(),
  };
}

/** The cap to send where the upstream demands one and the caller gave none. */
function defaultMaxTokens(options: Options, model: string): number {
  const caps = options.get('claude.default_max_tokens');
  return own(caps, model) ?? caps.default ?? FALLBACK_MAX_TOKENS;
}

const FALLBACK_MAX_TOKENS = 4_096;
