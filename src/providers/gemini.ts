import { isObject } from '../core/json.ts';
import { own } from '../core/own.ts';
import { urlOf } from '../core/url.ts';
import { objectOf, objectsOf, textOf } from '../dialects/fields.ts';
import { gemini as geminiDialect } from '../dialects/gemini/dialect.ts';
import { geminiCount } from '../dialects/plain/count-tokens.ts';
import { geminiBatchEmbed, geminiEmbed } from '../dialects/plain/gemini-embeddings.ts';
import { openaiSpeech } from '../dialects/plain/openai-audio.ts';
import { openaiImages } from '../dialects/plain/openai-images.ts';
import { openaiVideos } from '../dialects/plain/openai-videos.ts';
import { filmAt, urlIn } from './films.ts';
import { GEMINI_MODELS } from './gemini-models.ts';
import { readGoogleFault, withSafety } from './google.ts';
import { finishImages, imageAction, writeImages } from './google-images.ts';
import { finishSpeech, writeSpeech } from './google-speech.ts';
import { filmOfForm, finishFilm, googleSeconds, readOperation, writeFilm } from './google-videos.ts';
import { type Provider, TokenRefused, type UpstreamCall } from './provider.ts';

/** `v1`, `v1beta`, `v1p1beta1`: anything else in its place would be another path. */
const isVersion = (text: string): boolean => /^v\d+(p\d+)?((alpha|beta)\d*)?$/.test(text);

/** The operator's version for this model, else the channel's, else the operator's for all others. Throws TokenRefused. */
function versionOf({ model, channel, settings }: UpstreamCall): string {
  const { geminiVersions: versions } = settings;
  const version = own(versions, model) || channel.other || versions.default || 'v1beta';
  if (version !== channel.other || isVersion(version)) return version;
  throw new TokenRefused({ status: 400, text: '{"error":"the API version is not valid"}' }, []);
}

function actionOf({ operation, dialect, model, stream }: UpstreamCall): string {
  if (operation === 'images') return imageAction(model);
  if (operation === 'task') return 'predictLongRunning';
  if (operation === 'speech') return 'generateContent';
  if (operation === 'count-tokens') return 'countTokens';
  if (operation === 'embeddings') return dialect === geminiEmbed ? 'embedContent' : 'batchEmbedContents';
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
}

const HOME = 'https://generativelanguage.googleapis.com';

/** Files of the service are kept for two days (ai.google.dev/gemini-api/docs/video, Limitations). */
const KEPT_DAYS = 2;

/** `models/veo-3.0-generate-001/operations/abc`: what has another look leads nowhere. */
const operationPath = (name: string): string =>
  /^[\w-]+(\/[\w.-]+)*$/.test(name) ? name : encodeURIComponent(name);

const authorise = (key: string): Record<string, string> => ({ 'x-goog-api-key': key });

export const gemini: Provider = {
  type: 24,
  homeOf: ['gemini'],
  slug: 'google gemini',
  label: 'Gemini',
  baseUrl: HOME,
  speaks: {
    chat: [geminiDialect],
    // Several inputs are one call of the second kind, so that a caller of another dialect gets it.
    embeddings: [geminiBatchEmbed, geminiEmbed],
    'count-tokens': [geminiCount],
    images: [openaiImages],
    speech: [openaiSpeech],
    task: [openaiVideos],
  },
  opensToAnyone: true,
  streamUsage: true,
  form: {
    keyHint: 'AIza…',
    baseUrl: 'optional',
    other: { label: { zh: 'API 版本', en: 'API version' }, hint: 'v1beta' },
  },
  isVersion,
  otherFormat: {
    isGood: isVersion,
    expected: { zh: 'API 版本须形如 v1 或 v1beta', en: 'the API version must look like v1 or v1beta' },
  },
  models: GEMINI_MODELS,
  async prepare(call: UpstreamCall) {
    const { channel, model } = call;
    const film = call.operation === 'task' ? await filmOfForm(call) : undefined;
    return {
      ...(film !== undefined && { body: film }),
      method: 'POST',
      url: `${channel.baseUrl}/${versionOf(call)}/models/${encodeURIComponent(model)}:${actionOf(call)}`,
      headers: { 'content-type': 'application/json', ...authorise(channel.key) },
    };
  },
  adjustBody(body, call) {
    if (call.operation === 'images') return writeImages(body, call);
    if (call.operation === 'speech') return writeSpeech(body);
    if (call.operation === 'task') return writeFilm(body);
    return call.operation === 'chat' ? withSafety(body, call) : body;
  },
  finish: { images: finishImages, speech: finishSpeech, task: finishFilm },
  tasks: {
    singly: true,
    seconds: googleSeconds,
    ask: (channel, [name = '']) => ({
      method: 'GET',
      url: `${channel.baseUrl}/${isVersion(channel.other) ? channel.other : 'v1beta'}/${operationPath(name)}`,
      headers: authorise(channel.key),
    }),
    read: (body, id) =>
      readOperation(body, id, (response) => {
        const [sample] = objectsOf(objectOf(response.generateVideoResponse)?.generatedSamples);
        const uri = textOf(objectOf(sample?.video)?.uri);
        return uri ? filmAt(uri, KEPT_DAYS) : null;
      }),
    file: {
      async open(channel, { data }, ask) {
        const named = urlIn(data);
        const read = urlOf(named);
        if (!read) return null;
        const { origin, pathname, search } = read;
        // Whoever stands before the service is asked for its files, too.
        const url = origin === HOME ? channel.baseUrl + pathname + search : named;
        // Its files want the key; nobody else gets it.
        const isOwn = urlOf(url)?.origin === new URL(channel.baseUrl).origin;
        const answer = await ask(
          { method: 'GET', url, headers: isOwn ? authorise(channel.key) : {} },
          !isOwn,
        );
        const elsewhere = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
        const next = elsewhere === null ? null : urlOf(elsewhere, url);
        if (!next) return answer;
        void answer.body?.cancel().catch(() => undefined);
        return ask({ method: 'GET', url: next.href, headers: {} }, true);
      },
    },
  },
  readFault: readGoogleFault,
  listModels: (channel) => ({
    request: {
      method: 'GET',
      url: `${channel.baseUrl}/v1beta/models?pageSize=1000`,
      headers: authorise(channel.key),
    },
    read: (body) =>
      (isObject(body) && Array.isArray(body.models) ? body.models : []).flatMap((model: unknown) =>
        isObject(model) && typeof model.name === 'string' ? [model.name.replace(/^models\//, '')] : [],
      ),
  }),
};
