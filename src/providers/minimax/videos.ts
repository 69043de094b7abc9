/**
 * MiniMax's films (Hailuo). `POST /v1/video_generation` with `{model, prompt, first_frame_image?, duration, resolution}`
 * answers `{task_id, base_resp}`; `GET /v1/query/video_generation?task_id=` tells `status` (Preparing, Queueing,
 * Processing, Success, Fail) and `file_id`; `GET /v1/files/retrieve?file_id=` tells `file.download_url`
 * (platform.minimax.io: api-reference/video-generation-query, video-generation-download and its openapi.json). A film has
 * lines and no ratio of its own. The second version of these calls (`/v2`, MiniMax-H3) is another wire and not served.
 */

import { parseJson } from '../../core/json.ts';
import type { TaskNews } from '../../core/tasks.ts';
import { compact, objectOf, textOf } from '../../dialects/fields.ts';
import { taskNameIn } from '../../dialects/plain/task.ts';
import { secondsOr } from '../film-lengths.ts';
import { filmNews, filmOperation, linesOf } from '../films.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest } from '../provider.ts';
import { finishJson, readText } from '../vendor-operation.ts';
import { readBase, refusalOf } from './errors.ts';

const LINES = [512, 720, 768, 1080];
const DEFAULT_LINES = 768;

export const videos = filmOperation({
  path: () => '/v1/video_generation',
  write: ({ prompt, seconds, size, picture }, { model }) =>
    compact({
      model,
      prompt,
      first_frame_image: picture ?? undefined,
      duration: seconds,
      resolution: `${size ? linesOf(size, LINES) : DEFAULT_LINES}P`,
    }),
  finish: finishJson((body) => {
    const id = taskNameIn(body.task_id);
    return readBase(body) || id === undefined ? refusalOf(body) : { id };
  }),
});

const STATUS: Readonly<Record<string, TaskNews['status']>> = {
  Preparing: 'QUEUED',
  Queueing: 'QUEUED',
  Processing: 'IN_PROGRESS',
  Success: 'SUCCESS',
  Fail: 'FAILURE',
};

export const films = (request: (channel: ChannelAccess, path: string) => UpstreamRequest): TaskWire => ({
  singly: true,
  seconds: secondsOr(6),
  ask: (channel, [id = '']) =>
    request(channel, `/v1/query/video_generation?task_id=${encodeURIComponent(id)}`),
  read(body, id) {
    const answer = objectOf(body);
    const status = STATUS[textOf(answer?.status) ?? ''];
    if (!answer || status === undefined) return null;
    const file = taskNameIn(answer.file_id);
    return filmNews(id, {
      status,
      failReason: status === 'FAILURE' ? (readBase(body)?.message ?? '') : '',
      data: file === undefined ? null : { file_id: file },
    });
  },
  file: {
    async open(channel, { data }, ask) {
      const file = textOf(objectOf(data)?.file_id);
      if (!file) return null;
      const told = await ask(request(channel, `/v1/files/retrieve?file_id=${encodeURIComponent(file)}`));
      const url = textOf(objectOf(objectOf(parseJson(await readText(told)))?.file)?.download_url);
      return told.ok && url ? ask({ method: 'GET', url, headers: {} }, true) : null;
    },
  },
});
