/**
 * Films of Google's two services (Veo), as far as they are alike: `…/models/{model}:predictLongRunning` with `{instances:
 * [{prompt, image?: {bytesBase64Encoded, mimeType}}], parameters: {durationSeconds, aspectRatio, resolution}}` answers the
 * name of an operation, `{name, done, error, response}` (ai.google.dev/gemini-api/docs/video; cloud.google.com:
 * model-reference/veo-video-generation; `generateVideos` of the package `@google/genai` 3.1 for both).
 */
import type { JsonObject } from '../core/json.ts';
import type { TaskNews } from '../core/tasks.ts';
import { refuse } from '../dialects/bounds.ts';
import { compact, objectOf, textOf } from '../dialects/fields.ts';
import { sourceOfUrl } from '../dialects/media.ts';
import { type AskedFilm, askedFilm } from '../dialects/plain/openai-videos.ts';
import { secondsOr } from './film-lengths.ts';
import { filmNews, linesOf, pictureOf, ratioOf } from './films.ts';
import type { Finish, UpstreamCall } from './provider.ts';
import { finishJson } from './vendor-operation.ts';

const LINES = [720, 1024, 1080];
const RATIOS = ['9:16', '16:9'];
const PORTRAIT = { width: 720, height: 1280 };

/** Both services make eight where nothing is said. */
export const googleSeconds = secondsOr(8);

function imageIn({ picture }: AskedFilm): JsonObject | undefined {
  if (picture === null) return undefined;
  const source = sourceOfUrl(picture);
  if (source.kind === 'data') return { bytesBase64Encoded: source.data, mimeType: source.mediaType };
  throw refuse('input_reference', {
    zh: '此模型的渠道只接受图片文件或 data: 地址',
    en: 'channels of this model take pictures as files or as data: addresses',
  });
}

export function writeFilm(asked: JsonObject, file: string | null = null): JsonObject {
  const film = askedFilm(asked, file);
  const size = film.size ?? PORTRAIT;
  const lines = linesOf(size, LINES);
  return {
    instances: [compact({ prompt: film.prompt, image: imageIn(film) })],
    parameters: compact({
      durationSeconds: film.seconds,
      aspectRatio: ratioOf(size, RATIOS),
      // The oldest models know this one alone, and no word for it.
      resolution: lines === 720 ? undefined : '1080p',
    }),
  };
}

/** What goes up instead of a form. */
export const filmOfForm = async ({ asked, form }: UpstreamCall): Promise<string | undefined> =>
  form ? JSON.stringify(writeFilm(asked, await pictureOf(form))) : undefined;

export const finishFilm: Finish = finishJson((body) => {
  const name = textOf(body.name);
  return name ? { id: name } : body;
});

/** What an operation says, which was asked after by its name; `filmIn` finds what came out of it, which is null where that holds no film. */
export function readOperation(
  body: unknown,
  id: string,
  filmIn: (response: JsonObject) => TaskNews['data'],
): TaskNews[] | null {
  const operation = objectOf(body);
  if (!operation || textOf(operation.name) === undefined) return null;
  if (operation.done !== true) return filmNews(id, { status: 'IN_PROGRESS' });
  const error = objectOf(operation.error);
  if (error) return filmNews(id, { status: 'FAILURE', failReason: textOf(error.message) ?? '' });
  const response = objectOf(operation.response) ?? {};
  const data = filmIn(response);
  if (data !== null) return filmNews(id, { status: 'SUCCESS', data });
  const { raiMediaFilteredReasons: why } = objectOf(response.generateVideoResponse) ?? response;
  const reasons = Array.isArray(why) ? why.flatMap((reason) => textOf(reason) ?? []) : [];
  return filmNews(id, { status: 'FAILURE', failReason: reasons.join(' ') });
}
