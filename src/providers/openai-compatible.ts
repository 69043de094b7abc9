/**
 * The factory for vendors that speak OpenAI's wire: a record says its address, what it serves and its few quirks, and
 * everything else is as OpenAI has it.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { bareName, isOpenAis } from '../core/model-families.ts';
import { anthropicMessages } from '../dialects/anthropic-messages/dialect.ts';
import type { ChatExtension } from '../dialects/chat-extension.ts';
import type { Dialect, Operation } from '../dialects/dialect.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../dialects/openai-responses/dialect.ts';
import { openaiSpeech, openaiTranscriptions, openaiTranslations } from '../dialects/plain/openai-audio.ts';
import { openaiCompletions } from '../dialects/plain/openai-completions.ts';
import { openaiEmbeddings } from '../dialects/plain/openai-embeddings.ts';
import { openaiImageEdits, openaiImages, openaiImageVariations } from '../dialects/plain/openai-images.ts';
import { openaiModerations } from '../dialects/plain/openai-moderations.ts';
import { openaiRealtime } from '../dialects/plain/openai-realtime.ts';
import { openaiRerank } from '../dialects/plain/openai-rerank.ts';
import { openaiVideos } from '../dialects/plain/openai-videos.ts';
import { shortName } from '../dialects/short-names.ts';
import { messagesHeaders } from './messages-headers.ts';
import type {
  ChannelAccess,
  Provider,
  ProviderForm,
  TaskWire,
  UpstreamCall,
  UpstreamRequest,
} from './provider.ts';
import { isOfResponsesAlone, needsResponses } from './responses-only.ts';
import type { Payload, VendorOperation } from './vendor-operation.ts';

/** Where OpenAI serves each operation, below the address of the channel. */
const PATHS: Readonly<Partial<Record<Operation, string>>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  images: '/v1/images/generations',
  'image-edits': '/v1/images/edits',
  'image-variations': '/v1/images/variations',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
  translations: '/v1/audio/translations',
  moderations: '/v1/moderations',
  rerank: '/v1/rerank',
  task: '/v1/videos',
  realtime: '/v1/realtime',
};

/** The dialects in which OpenAI's wire says each operation. */
const DIALECTS: Readonly<Partial<Record<Operation, readonly Dialect[]>>> = {
  chat: [openaiChat],
  completions: [openaiCompletions],
  embeddings: [openaiEmbeddings],
  images: [openaiImages],
  'image-edits': [openaiImageEdits],
  'image-variations': [openaiImageVariations],
  speech: [openaiSpeech],
  transcriptions: [openaiTranscriptions],
  translations: [openaiTranslations],
  moderations: [openaiModerations],
  rerank: [openaiRerank],
  task: [openaiVideos],
  realtime: [openaiRealtime],
};

export interface OpenAiCompatible {
  type: number;
  slug: string;
  label: string;
  zhLabel?: string;
  baseUrl: string | null;
  models: readonly string[];
  operations: readonly Operation[];
  form?: Partial<ProviderForm>;
  /** Paths that differ from OpenAI's. */
  paths?: Partial<Record<Operation, string>>;
  /** Operations that it says in words of its own. */
  own?: Partial<Record<Operation, VendorOperation>>;
  /** Dialects that are not OpenAI's. */
  dialects?: Partial<Record<Operation, readonly Dialect[]>>;
  /** Where it also takes chats in Anthropic's wire. */
  messagesPath?: string;
  /** Where it also takes chats in the wire of OpenAI's Responses, in which alone some of OpenAI's models are served. */
  responsesPath?: string;
  /** The whole address, where it is more than base and path. */
  url?(call: UpstreamCall, path: string): string;
  /** Headers beside content type and, unless it returns its own, the bearer key. */
  headers?(call: UpstreamCall): Record<string, string>;
  authorise?(key: string): Record<string, string>;
  /** False where the vendor refuses or ignores `stream_options`. */
  streamUsage?: boolean;
  /** Words beyond OpenAI's own that it takes. */
  extensions?: readonly ChatExtension[];
  wantsThoughtsBack?: Provider['wantsThoughtsBack'];
  /** The longest name of a caller's end user or conversation, where it takes other ones than OpenAI. */
  nameChars?: number;
  strict?: Provider['strict'];
  inlineMedia?: boolean;
  /** It does not know OpenAI's newer word for the first role, `developer`. */
  systemRoleOnly?: true;
  adjustBody?: Provider['adjustBody'];
  /** The same for what goes up by `responsesPath`. */
  adjustResponses?: Provider['adjustBody'];
  otherIsKept?: Provider['otherIsKept'];
  modelIsKept?: Provider['modelIsKept'];
  homeOf?: Provider['homeOf'];
  toolLimit?: Provider['toolLimit'];
  chargedRefusals?: Provider['chargedRefusals'];
  unasked?: Provider['unasked'];
  hostTools?: Provider['hostTools'];
  keepsAnswers?: Provider['keepsAnswers'];
  opensToAnyone?: Provider['opensToAnyone'];
  tellsStores?: Provider['tellsStores'];
  tellsSummaries?: Provider['tellsSummaries'];
  /** Whether OpenAI's models are served there as OpenAI serves them, and not by a gateway. */
  servesOpenAis?(baseUrl: string): boolean;
  thoughtLimit?: Provider['thoughtLimit'];
  canSwitchThoughts?: Provider['canSwitchThoughts'];
  readFault?: Provider['readFault'];
  readAnswerError?: Provider['readAnswerError'];
  /** The path of the model list; null where there is none. */
  modelsPath?: string | null;
  balance?: Provider['balance'];
  /** Given where it takes tasks: how it is asked after them. */
  tasks?(request: (channel: ChannelAccess, path: string) => UpstreamRequest): TaskWire;
}

const RESPONSES: readonly Dialect[] = [openaiResponses];
const NONE: readonly Dialect[] = [];

/** "Invalid 'user': string too long. Expected a string with maximum length 64"; so of `prompt_cache_key`. */
const OPENAI_NAME_CHARS = 64;

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** Cloudflare's AI gateway stands for the vendor's `/v1` itself. */
const GATEWAY = 'https://gateway.ai.cloudflare.com';

const join = (baseUrl: string, path: string): string =>
  baseUrl + (baseUrl.startsWith(GATEWAY) ? path.replace(/^\/v1(?=\/)/, '') : path);

/** A websocket has no body that could name the model. */
const queryOf = ({ operation, model }: UpstreamCall): string =>
  operation === 'realtime' ? `?model=${encodeURIComponent(model)}` : '';

export function openaiCompatible(vendor: OpenAiCompatible): Provider {
  const { baseUrl, authorise = bearer, modelsPath = '/v1/models' } = vendor;
  const pathOf = ({ operation, dialect }: UpstreamCall): string => {
    if (operation === 'chat' && dialect === anthropicMessages) return vendor.messagesPath ?? '';
    if (operation === 'chat' && dialect === openaiResponses) return vendor.responsesPath ?? '';
    return vendor.paths?.[operation] ?? PATHS[operation] ?? '';
  };
  const dialectsOf = (operation: Operation): readonly Dialect[] => {
    const own = vendor.dialects?.[operation] ?? DIALECTS[operation] ?? [];
    if (operation !== 'chat') return own;
    return [
      ...own,
      ...(vendor.responsesPath === undefined ? [] : [openaiResponses]),
      ...(vendor.messagesPath === undefined ? [] : [anthropicMessages]),
    ];
  };
  const speaks: Provider['speaks'] = Object.fromEntries(
    vendor.operations.flatMap((operation) => {
      const dialects = dialectsOf(operation);
      return dialects.length > 0 ? [[operation, dialects]] : [];
    }),
  );

  const dialectsFor: Provider['dialectsOf'] = ({ operation, model, baseUrl, effort, body }) => {
    if (operation !== 'chat') return speaks[operation] ?? NONE;
    const isAlone =
      isOfResponsesAlone(model) ||
      (vendor.servesOpenAis?.(baseUrl) === true && needsResponses(model, effort, body));
    return isAlone ? RESPONSES : (speaks.chat ?? NONE);
  };

  const prepare = (call: UpstreamCall): UpstreamRequest | Promise<UpstreamRequest> => {
    const own = vendor.own?.[call.operation];
    const path = own?.path(call) ?? pathOf(call);
    const request: UpstreamRequest = {
      method: 'POST',
      url: vendor.url?.(call, path) ?? join(call.channel.baseUrl, path) + queryOf(call),
      headers: {
        'content-type': 'application/json',
        accept: acceptOf(call),
        ...authorise(call.channel.key),
        ...(call.dialect === anthropicMessages ? messagesHeaders(call) : {}),
        ...vendor.headers?.(call),
      },
    };
    return call.form && own?.upload ? uploaded(request, own.upload(call, call.form)) : request;
  };

  /** Quirks are those of OpenAI's wires: what comes in another is left alone. */
  const adjustBody: Provider['adjustBody'] = (body, call) => {
    const own = vendor.own?.[call.operation]?.write;
    if (own) return own(body, call);
    if (call.operation === 'chat' && call.dialect !== openaiChat) {
      return (call.dialect === openaiResponses && vendor.adjustResponses?.(body, call)) || body;
    }
    if (vendor.systemRoleOnly) developerToSystem(body);
    if (isOpenAis(bareName(call.model))) shortenCallIds(body);
    return vendor.adjustBody?.(body, call) ?? body;
  };

  const listModels = (channel: ChannelAccess) => ({
    request: {
      method: 'GET' as const,
      url: join(channel.baseUrl, modelsPath ?? ''),
      headers: authorise(channel.key),
    },
    read: modelIds,
  });

  return {
    type: vendor.type,
    slug: vendor.slug,
    label: vendor.label,
    zhLabel: vendor.zhLabel,
    baseUrl,
    speaks,
    dialectsOf: vendor.responsesPath === undefined ? undefined : dialectsFor,
    streamUsage: vendor.streamUsage ?? true,
    form: { keyHint: 'sk-…', baseUrl: baseUrl === null ? 'required' : 'optional', ...vendor.form },
    models: vendor.models,
    prepare,
    extensions: new Set(vendor.extensions),
    wantsThoughtsBack: vendor.wantsThoughtsBack,
    nameChars: vendor.nameChars ?? OPENAI_NAME_CHARS,
    strict: vendor.strict,
    inlineMedia: vendor.inlineMedia,
    adjustBody,
    otherIsKept: vendor.otherIsKept,
    modelIsKept: vendor.modelIsKept,
    homeOf: vendor.homeOf,
    toolLimit: vendor.toolLimit,
    chargedRefusals: vendor.chargedRefusals,
    unasked: vendor.unasked,
    hostTools: vendor.hostTools,
    keepsAnswers: vendor.keepsAnswers,
    opensToAnyone: vendor.opensToAnyone,
    tellsStores: vendor.tellsStores,
    tellsSummaries: vendor.tellsSummaries,
    thoughtLimit: vendor.thoughtLimit,
    canSwitchThoughts: vendor.canSwitchThoughts,
    readFault: vendor.readFault,
    readAnswerError: vendor.readAnswerError,
    listModels: modelsPath === null ? undefined : listModels,
    balance: vendor.balance,
    finish: finishersOf(vendor.own ?? {}),
    tasks: vendor.tasks?.((channel, path) => ({
      method: 'GET',
      url: join(channel.baseUrl, path),
      headers: { accept: 'application/json', ...authorise(channel.key) },
    })),
  };
}

/** What comes back of speech is sound, whole or in events, as the caller asks in the body. */
const acceptOf = ({ operation, stream }: UpstreamCall): string => {
  if (operation === 'speech') return '*/*';
  return stream ? 'text/event-stream' : 'application/json';
};

async function uploaded(request: UpstreamRequest, payload: Promise<Payload>): Promise<UpstreamRequest> {
  const { body, contentType } = await payload;
  return { ...request, body, headers: { ...request.headers, 'content-type': contentType } };
}

const finishersOf = (own: Partial<Record<Operation, VendorOperation>>): Provider['finish'] =>
  Object.fromEntries(
    Object.entries(own).flatMap(([operation, { finish }]) => (finish ? [[operation, finish]] : [])),
  );

/** The names in OpenAI's model list. */
export function modelIds(body: unknown): string[] {
  const data = isObject(body) && Array.isArray(body.data) ? body.data : [];
  return data.flatMap((model: unknown) =>
    isObject(model) && typeof model.id === 'string' ? [model.id] : [],
  );
}

/** Moves a field to another name, unless that one is given already. */
export function rename(body: JsonObject, from: string, to: string): void {
  if (body[from] === undefined) return;
  body[to] ??= body[from];
  delete body[from];
}

/** "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40". */
const OPENAI_CALL_ID_CHARS = 40;

const withShortId = (given: Json, name: 'id' | 'tool_call_id'): Json => {
  const id = isObject(given) ? given[name] : undefined;
  if (typeof id !== 'string' || id.length <= OPENAI_CALL_ID_CHARS) return given;
  return { ...(given as JsonObject), [name]: shortName(id, OPENAI_CALL_ID_CHARS) };
};

/** Of calls that others have made, and of their results alike. */
function shortenCallIds(body: JsonObject): void {
  const { messages } = body;
  if (!Array.isArray(messages)) return;
  body.messages = messages.map((message) => {
    const calls = isObject(message) ? message.tool_calls : undefined;
    if (!Array.isArray(calls)) return withShortId(message, 'tool_call_id');
    return { ...(message as JsonObject), tool_calls: calls.map((call) => withShortId(call, 'id')) };
  });
}

/** `developer` is OpenAI's newer word; most vendors know only `system`. */
function developerToSystem(body: JsonObject): void {
  const { messages } = body;
  if (!Array.isArray(messages)) return;
  body.messages = messages.map((message) =>
    isObject(message) && message.role === 'developer'
      ? { ...(message as JsonObject), role: 'system' }
      : message,
  );
}
