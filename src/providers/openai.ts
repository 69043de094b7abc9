import { isObject, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { bareName, isOpenAiThinker } from '../core/model-families.ts';
import { thinksAt } from '../core/openai-thinkers.ts';
import { urlOf } from '../core/url.ts';
import type { Operation } from '../dialects/dialect.ts';
import { dashboardBalance } from './balance.ts';
import { openaiCompatible, rename } from './openai-compatible.ts';
import { filmSent, openaiFilms } from './openai-videos.ts';
import type { UpstreamCall } from './provider.ts';
import { thoughtLimitOfAnyone } from './thought-limits.ts';
import { wantsThoughtsBack } from './thoughts-back.ts';
import { vendorOf } from './vendor-hosts.ts';
import { voyageRanks } from './voyage.ts';

/** Everything that OpenAI's own API serves. */
export const OPENAI_OPERATIONS: readonly Operation[] = [
  'chat',
  'completions',
  'embeddings',
  'images',
  'image-edits',
  'image-variations',
  'speech',
  'transcriptions',
  'translations',
  'moderations',
  'rerank',
  'realtime',
];

export const OPENAI_MODELS: readonly string[] = [
  'gpt-6.2-astra',
  'gpt-6.2-sol',
  'gpt-6.1-terra',
  'gpt-6-luna',
  'gpt-5',
  'gpt-5-mini',
  'gpt-5-nano',
  'gpt-5-chat-latest',
  'gpt-5.1',
  'gpt-5.2',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-4.1-nano',
  'gpt-4o',
  'gpt-4o-mini',
  'chatgpt-4o-latest',
  'gpt-4-turbo',
  'gpt-4',
  'gpt-3.5-turbo',
  'o1',
  'o1-pro',
  'o3',
  'o3-pro',
  'o3-mini',
  'o4-mini',
  'gpt-4o-audio-preview',
  'gpt-4o-realtime-preview',
  'gpt-realtime',
  'gpt-audio',
  'text-embedding-3-small',
  'text-embedding-3-large',
  'text-embedding-ada-002',
  'omni-moderation-latest',
  'text-moderation-latest',
  'dall-e-3',
  'gpt-image-1',
  'gpt-image-1-mini',
  'whisper-1',
  'gpt-4o-transcribe',
  'gpt-4o-mini-transcribe',
  'tts-1',
  'tts-1-hd',
  'gpt-4o-mini-tts',
];

/** The first reasoning models take no instructions but the user's. */
const WITHOUT_DEVELOPER = /^o1-(mini|preview)/;

/** What no model takes that thinks, on either wire. */
const SAMPLING = ['temperature', 'top_p', 'logprobs', 'top_logprobs'];
/** Responses has the one of them in a list. */
const LOGPROBS = 'message.output_text.logprobs';

type Asked = Pick<UpstreamCall, 'model' | 'effort'>;

/** Reasoning models refuse what they cannot follow. */
export function withoutSampling(body: JsonObject, { model, effort }: Asked): JsonObject {
  if (!thinksAt(model, effort)) return body;
  for (const field of SAMPLING) delete body[field];
  if (!Array.isArray(body.include) || !body.include.includes(LOGPROBS)) return body;
  const { include, ...rest } = body;
  const left = include.filter((each) => each !== LOGPROBS);
  return left.length > 0 ? { ...rest, include: left } : rest;
}

/** On the chat wire also the old cap's name, and the old name of the first role. */
export function adjustForReasoning(given: JsonObject, call: Asked): JsonObject {
  const name = bareName(call.model);
  if (!isOpenAiThinker(name)) return given;
  const body = withoutSampling(given, call);
  rename(body, 'max_tokens', 'max_completion_tokens');
  const [first, ...rest] = Array.isArray(body.messages) ? body.messages : [];
  if (isObject(first) && first.role === 'system' && !WITHOUT_DEVELOPER.test(name)) {
    body.messages = [{ ...(first as JsonObject), role: 'developer' }, ...rest];
  }
  return body;
}

/** OpenAI's own, and those of its regions. */
const OWN_HOST = /^(?:[a-z]+\.)?api\.openai\.com$/;
const isOwnHost = (baseUrl: string): boolean => OWN_HOST.test(urlOf(baseUrl)?.host ?? '');

/** xAI speaks this wire without its limit of tool calls (docs.x.ai, Responses), also where another gateway passes it on. */
const isXai = ({ model, baseUrl }: { model: string; baseUrl: string }): boolean =>
  /(^|\/)grok/i.test(model) || /^https?:\/\/([^/]*\.)?x\.ai(?=[:/]|$)/i.test(baseUrl);

/** Perplexity counts the steps of its own (docs.perplexity.ai, Agent API). */
const isPerplexity = ({ baseUrl }: { baseUrl: string }): boolean => vendorOf(baseUrl) === 'perplexity';

/** On this wire, and before a word is written, for which it takes a fee (docs.x.ai, Pricing). */
const XAI_REFUSES = /content violates usage guidelines/i;

/** OpenAI's own films are no more: the wire lives on at those who took it over. */
const COMPATIBLE_OPERATIONS: readonly Operation[] = [...OPENAI_OPERATIONS, 'task'];

export const openai = openaiCompatible({
  type: 1,
  homeOf: ['openai'],
  slug: 'openai',
  label: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  models: OPENAI_MODELS,
  operations: COMPATIBLE_OPERATIONS,
  opensToAnyone: true,
  own: { rerank: voyageRanks },
  tasks: openaiFilms,
  balance: dashboardBalance,
  responsesPath: '/v1/responses',
  form: { organization: true },
  headers: ({ channel }): Record<string, string> =>
    channel.organization ? { 'openai-organization': channel.organization } : {},
  extensions: ['custom_tools', 'web_search_options', 'verbosity', 'openai_fields'],
  toolLimit: (on) => (isXai(on) || isPerplexity(on) ? null : limits.toolUsesMax),
  chargedRefusals: (on) => (on.dialect === 'openai-responses' && isXai(on) ? XAI_REFUSES : null),
  tellsSummaries: isOwnHost,
  servesOpenAis: isOwnHost,
  thoughtLimit: thoughtLimitOfAnyone,
  wantsThoughtsBack,
  adjustBody: (body, call) =>
    call.operation === 'task' ? filmSent(body, call) : adjustForReasoning(body, call),
  adjustResponses: withoutSampling,
});
