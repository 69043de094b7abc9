/**
 * Films of services that speak OpenAI's Videos API (the `openai` package 7.55, `resources/videos`): `GET /v1/videos/{id}`
 * answers the object `video`, `GET /v1/videos/{id}/content?variant=` its file. OpenAI's own are no more: the wire is that of
 * gateways before other vendors, each with some words of its own.
 */
import type { JsonObject } from '../core/json.ts';
import { readTaskStatus, type TaskNews } from '../core/tasks.ts';
import { urlOf } from '../core/url.ts';
import { filmSecondsIn } from '../core/video-object.ts';
import { numberOf, objectOf, textOf } from '../dialects/fields.ts';
import { knownSeconds } from './film-lengths.ts';
import { filmNews } from './films.ts';
import type { ChannelAccess, TaskWire, UpstreamCall, UpstreamRequest } from './provider.ts';

/** Beside OpenAI's words LiteLLM's `processing` (its /videos) and OpenRouter's (its VideoGenerationResponse). */
const STATUS: Readonly<Record<string, TaskNews['status']>> = {
  pending: 'QUEUED',
  queued: 'QUEUED',
  processing: 'IN_PROGRESS',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
  expired: 'FAILURE',
};

function statusOf(said: string): Pick<TaskNews, 'status' | 'fault'> {
  const status = STATUS[said];
  return status ? { status } : readTaskStatus(said);
}

const millis = (seconds: unknown): number => Math.max(Math.round((numberOf(seconds) ?? 0) * 1_000), 0);

/** OpenAI and Azure, which refuse a field that they do not know. */
const STRICT = /(?:^|\.)(?:api\.openai|(?:openai|cognitiveservices|services\.ai)\.azure)\.com$/;
/** Gateways pass calls of these on to them as they are. */
const OPENAIS_MODEL = /(?:^|\/)sora/i;
const OPENROUTER = /(?:^|\.)openrouter\.ai$/;

function knowsSecondsAlone({ model, channel }: Pick<UpstreamCall, 'model' | 'channel'>): boolean {
  const host = urlOf(channel.baseUrl)?.hostname ?? '';
  return STRICT.test(host) || (OPENAIS_MODEL.test(model) && !OPENROUTER.test(host));
}

/**
 * The film as it goes up. New API has a field for `seconds` and one for `duration`, of which its channels of Kling, Vidu
 * and Hailuo read the second alone (its `TaskSubmitReq`), as OpenRouter does (its VideoGenerationRequest): where what was
 * paid is not read, a film is as long as its vendor likes. A number, which is what they take. Of a form New API reads
 * `seconds` as both.
 */
export const filmSent = (body: JsonObject, call: Pick<UpstreamCall, 'model' | 'channel'>): JsonObject =>
  knowsSecondsAlone(call) ? body : { ...body, duration: Number(body.seconds) };

/** OpenRouter's is a text. */
const reasonIn = (error: unknown): string => textOf(error) ?? textOf(objectOf(error)?.message) ?? '';

/**
 * An answer may name the film otherwise than its submission did: LiteLLM writes the model into the first id, and none into
 * those that come later. The address tells which film it is of.
 */
export const openaiFilms = (
  request: (channel: ChannelAccess, path: string) => UpstreamRequest,
): TaskWire => ({
  singly: true,
  seconds: knownSeconds,
  ask: (channel, [id = '']) => request(channel, `/v1/videos/${encodeURIComponent(id)}`),
  read(body, id) {
    const film = objectOf(body);
    const said = textOf(film?.status);
    if (!film || said === undefined) return null;
    const { status, fault } = statusOf(said);
    const progress = numberOf(film.progress);
    return filmNews(id, {
      status,
      ...(fault && { fault }),
      progress: progress === undefined ? null : Math.min(Math.max(Math.round(progress), 0), 100),
      failReason: status === 'FAILURE' ? reasonIn(film.error) : '',
      finishTime: millis(film.completed_at),
      data: status === 'SUCCESS' ? { expires_at: numberOf(film.expires_at) ?? 0 } : null,
      seconds: status === 'SUCCESS' ? filmSecondsIn(film.seconds) : null,
    });
  },
  file: {
    variants: ['thumbnail', 'spritesheet'],
    async open(channel, { id, variant }, ask) {
      const { url, headers } = request(channel, `/v1/videos/${encodeURIComponent(id)}/content`);
      const answer = await ask({
        method: 'GET',
        url: `${url}?variant=${variant}`,
        headers: { ...headers, accept: '*/*' },
      });
      // Some send on to where they keep it; no key goes there.
      const elsewhere = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
      const next = elsewhere === null ? null : urlOf(elsewhere, url);
      if (!next) return answer;
      void answer.body?.cancel().catch(() => undefined);
      return ask({ method: 'GET', url: next.href, headers: {} }, true);
    },
  },
});
