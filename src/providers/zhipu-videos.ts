/**
 * Zhipu's films (CogVideoX, Vidu). `POST /api/paas/v4/videos/generations` with `{model, prompt, image_url?, size, duration}`
 * answers `{id, task_status}`; `GET /api/paas/v4/async-result/{id}` tells `task_status` (PROCESSING, SUCCESS, FAIL) and
 * `video_result: [{url, cover_image_url}]` (docs.bigmodel.cn: 生成视频（异步）, 查询异步结果; docs.z.ai: Retrieve Result).
 */
import type { TaskNews } from '../core/tasks.ts';
import { compact, objectOf, objectsOf, textOf } from '../dialects/fields.ts';
import { atItsAddress, filmAt, filmNews, filmOperation, secondsBy } from './films.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest } from './provider.ts';

const ROOT = '/api/paas/v4';
const DEFAULT_SIZE = '720x1280';

/**
 * Older CogVideoX know no `duration` and make films of up to six seconds; cogvideox-3 takes 5 and 10, and makes 5 where
 * nothing is said (docs.bigmodel.cn: 生成视频（异步）; docs.z.ai: Generate Video).
 */
const seconds = secondsBy(
  [
    [/^cogvideox(-2|-flash)?$/i, [6]],
    [/^cogvideox-3/i, [5, 10]],
  ],
  5,
);

/** Its answer has the id where OpenAI has it. */
export const zhipuVideos = filmOperation({
  path: () => `${ROOT}/videos/generations`,
  write: ({ prompt, seconds, size, picture }, { model }) =>
    compact({
      model,
      prompt,
      image_url: picture ?? undefined,
      size: size ? `${size.width}x${size.height}` : DEFAULT_SIZE,
      duration: seconds,
    }),
});

const STATUS: Readonly<Record<string, TaskNews['status']>> = {
  PROCESSING: 'IN_PROGRESS',
  SUCCESS: 'SUCCESS',
  FAIL: 'FAILURE',
};

export const zhipuFilms = (request: (channel: ChannelAccess, path: string) => UpstreamRequest): TaskWire => ({
  singly: true,
  seconds,
  ask: (channel, [id = '']) => request(channel, `${ROOT}/async-result/${encodeURIComponent(id)}`),
  read(body, id) {
    const answer = objectOf(body);
    const said = textOf(answer?.task_status);
    if (!answer || said === undefined) return null;
    const status = STATUS[said] ?? 'UNKNOWN';
    const [film] = objectsOf(answer.video_result);
    const url = textOf(film?.url) ?? '';
    return filmNews(id, {
      status,
      failReason: status === 'FAILURE' ? (textOf(objectOf(answer.error)?.message) ?? '') : '',
      data: url ? filmAt(url, null) : null,
    });
  },
  file: atItsAddress,
});
