/** Vertex AI: Google's own models, Claude, and open models, each in its own wire, behind one account. */

import { type JsonObject, parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { anthropicCount, geminiCount } from '../../dialects/plain/count-tokens.ts';
import { openaiImages } from '../../dialects/plain/openai-images.ts';
import { openaiVideos } from '../../dialects/plain/openai-videos.ts';
import { asTaken, BETAS_OF_VERTEX, BETAS_OF_VERTEX_COUNTS } from '../claude-clouds.ts';
import { CLAUDE_MODELS } from '../claude-models.ts';
import { GEMINI_MODELS } from '../gemini-models.ts';
import { readGoogleFault, withSafety } from '../google.ts';
import { finishImages, imageAction, writeImages } from '../google-images.ts';
import { filmOfForm, finishFilm, writeFilm } from '../google-videos.ts';
import { messagesHeaders } from '../messages-headers.ts';
import { bearer } from '../openai-compatible.ts';
import type { Provider, UpstreamCall, UpstreamRequest } from '../provider.ts';
import { isRegion, regionIn } from '../region.ts';
import { claudeBody, countedChat, geminiBody } from './body.ts';
import { vertexEmbeddings } from './embeddings.ts';
import { forgetToken, isVertexKey, readVertexKey, secretsOf, tokenOf, type VertexKey } from './key.ts';
import { needsAccount, vertexFilms } from './videos.ts';

const DEFAULT_REGION = 'us-central1';

/** The region for a model: `other` is its name, or a table of regions by the name that the caller used. */
function regionOf({ channel, requested }: UpstreamCall): string {
  const { other } = channel;
  const table = parseObject(other);
  if (!table) return other || DEFAULT_REGION;
  const named = own(table, requested) ?? table.default;
  return typeof named === 'string' && named ? named : DEFAULT_REGION;
}

/** Every region that some model is asked in. */
function regionsAsked(other: string): string[] {
  const table = parseObject(other);
  if (!table) return [other || DEFAULT_REGION];
  const named = [table.default, ...Object.values(table)];
  return named.map((region) => (typeof region === 'string' && region ? region : DEFAULT_REGION));
}

/** Every region that the field names; a table may hold other things, which are no regions. */
function regionsIn(other: string): string[] {
  const table = parseObject(other);
  if (!table) return other ? [other] : [];
  return Object.values(table).flatMap((region) => (typeof region === 'string' && region ? [region] : []));
}

const hostOf = (region: string): string =>
  `https://${region === 'global' ? '' : `${region}-`}aiplatform.googleapis.com`;

/** Whose wire a model speaks. */
function dialectOf(model: string): Dialect {
  if (model.startsWith('claude')) return anthropicMessages;
  return /llama|-maas/.test(model) ? openaiChat : gemini;
}

/** Vertex marks the date of a model with another sign. */
const claudeId = (model: string): string =>
  model.replace(/^claude-3-5-sonnet-20241022$/, 'claude-3-5-sonnet-v2-20241022').replace(/-(\d{8})$/, '@$1');

function actionOf({ operation, model, stream }: UpstreamCall): string {
  if (operation === 'embeddings') return 'predict';
  if (operation === 'images') return imageAction(model);
  if (operation === 'task') return 'predictLongRunning';
  if (operation === 'count-tokens') return 'countTokens';
  return stream && operation === 'chat' ? 'streamGenerateContent?alt=sse' : 'generateContent';
}

/** The path below the address. */
function pathOf(call: UpstreamCall, key: VertexKey, region: string): string {
  const { model, stream, dialect, operation } = call;
  const googles = `publishers/google/models/${encodeURIComponent(model)}:${actionOf(call)}`;
  if (key.kind === 'api-key') return `/v1/${googles}`;
  const place = `projects/${encodeURIComponent(key.account.project_id)}/locations/${encodeURIComponent(region)}`;
  if (dialect === openaiChat) return `/v1beta1/${place}/endpoints/openapi/chat/completions`;
  if (dialect === anthropicCount) return `/v1/${place}/publishers/anthropic/models/count-tokens:rawPredict`;
  if (dialect !== anthropicMessages) return `/v1/${place}/${googles}`;
  const id = encodeURIComponent(claudeId(model)).replace('%40', '@');
  const action = stream && operation === 'chat' ? 'streamRawPredict' : 'rawPredict';
  return `/v1/${place}/publishers/anthropic/models/${id}:${action}`;
}

async function prepare(call: UpstreamCall): Promise<UpstreamRequest> {
  const { channel, dialect, http } = call;
  const key = readVertexKey(channel.key);
  if (call.operation === 'task' && key.kind === 'api-key') throw needsAccount();
  const film = call.operation === 'task' ? await filmOfForm(call) : undefined;
  const region = regionIn(regionOf(call));
  const base = channel.baseUrl || hostOf(key.kind === 'api-key' ? 'global' : region);
  const request = {
    method: 'POST' as const,
    url: base + pathOf(call, key, region),
    ...(film !== undefined && { body: film }),
  };
  // The version of Anthropic's wire stands in the body.
  const isClaude = dialect === anthropicMessages || dialect === anthropicCount;
  const { 'anthropic-version': _, ...own } = isClaude ? messagesHeaders(call, betasAt(call)) : {};
  const headers = { 'content-type': 'application/json', ...own };
  // A key in the address would be seen by everything on the way.
  if (key.kind === 'api-key') return { ...request, headers: { ...headers, 'x-goog-api-key': key.key } };
  const token = await tokenOf(channel.key, key.account, http);
  return {
    ...request,
    headers: { ...headers, ...bearer(token) },
    secrets: [token, ...secretsOf(key.account)],
  };
}

const betasAt = ({ operation }: Pick<UpstreamCall, 'operation'>) =>
  operation === 'count-tokens' ? BETAS_OF_VERTEX_COUNTS : BETAS_OF_VERTEX;

function adjustBody(body: JsonObject, call: Omit<UpstreamCall, 'body'>): JsonObject {
  if (call.operation === 'task') return writeFilm(body);
  switch (call.dialect) {
    case anthropicMessages:
      return claudeBody(asTaken(body, betasAt(call)));
    case anthropicCount:
      return { ...claudeBody(asTaken(body, betasAt(call))), model: claudeId(call.model) };
    case gemini:
      return geminiBody(withSafety(body, call));
    case geminiCount:
      return geminiBody(countedChat(body));
    case openaiImages:
      return writeImages(body, call);
    default:
      return body;
  }
}

export const vertex: Provider = {
  type: 41,
  homeOf: ['claude', 'gemini'],
  slug: 'vertex-ai',
  label: 'Vertex AI',
  baseUrl: '',
  domains: ['googleapis.com'],
  hasGoodRegion: ({ other }) => regionsIn(other).every(isRegion),
  keyGoesTo({ baseUrl, key, other }) {
    if (baseUrl) return [baseUrl];
    return (readVertexKey(key).kind === 'api-key' ? ['global'] : regionsAsked(other)).map(hostOf);
  },
  keyNames(key) {
    const read = readVertexKey(key);
    return read.kind === 'account' && read.account.token_uri ? [read.account.token_uri] : [];
  },
  speaks: {
    chat: [gemini, anthropicMessages, openaiChat],
    'count-tokens': [geminiCount, anthropicCount],
    embeddings: [vertexEmbeddings],
    images: [openaiImages],
    task: [openaiVideos],
  },
  toolLimit: () => limits.toolUsesMax,

  dialectsOf({ operation, model }) {
    if (operation === 'chat') return [dialectOf(model)];
    if (operation === 'count-tokens') return [model.startsWith('claude') ? anthropicCount : geminiCount];
    return vertex.speaks[operation] ?? [];
  },
  streamUsage: true,
  form: {
    keyHint: '{"type":"service_account","project_id":…}',
    keyMultiline: true,
    baseUrl: 'hidden',
    other: {
      label: { zh: '部署地区', en: 'Region' },
      hint: '{"default":"us-central1","claude-3-5-sonnet-20240620":"europe-west1"}',
      multiline: true,
    },
  },
  keyFormat: {
    isGood: isVertexKey,
    expected: {
      zh: '应为服务账号的 JSON 文件（含 project_id、client_email、private_key，没有重复的键），或一个 API 密钥',
      en: 'it must be the JSON file of a service account (with project_id, client_email and private_key, no key twice), or one API key',
    },
  },
  models: [
    ...CLAUDE_MODELS,
    ...GEMINI_MODELS,
    'meta/llama3-405b-instruct-maas',
    'meta/llama-4-maverick-17b-128e-instruct-maas',
  ],
  prepare,
  adjustBody,
  finish: { images: finishImages, task: finishFilm },
  tasks: vertexFilms(hostOf),
  readFault: readGoogleFault,
  forget: forgetToken,
};
