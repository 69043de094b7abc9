/**
 * Zhipu's films (CogVideoX, Vidu). `POST /api/paas/v4/videos/generations` with `{model, prompt, image_url?, size, duration}`
 * answers `{id, task_status}`; `GET /api/paas/v4/async-result/{id}` tells `task_status` (PROCESSING, SUCCESS, FAIL) and
 * `video_result: [{url, cover_image_url}]` (docs.bigmodel.cn: 生成视频（异步）, 查询异步结果; docs.z.ai: Retrieve Result).
 */
import type { TaskNews } from '../core/tasks.ts';
import { compact, objectOf, objectsOf, textOf } from '../dialects/fields.ts';
import { secondsOr } from './film-lengths.ts';
import { atItsAddress, filmAt, filmNews, filmOperation } from './films.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest } from './provider.ts';

const ROOT = '/api/paas/v4';
const DEFAULT_SIZE = '720x1280';

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
  seconds: secondsOr(5),
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
