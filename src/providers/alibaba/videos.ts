/**
 * DashScope's films (Wan). `POST …/services/aigc/video-generation/video-synthesis` with `X-DashScope-Async: enable`, body
 * `{model, input: {prompt, img_url?}, parameters: {size | resolution, duration}}`, answers `{output: {task_id}}`;
 * `GET /api/v1/tasks/{id}` tells `output.task_status` and `output.video_url`, which lives for 24 hours
 * (alibabacloud.com/help/model-studio: text-to-video-api-reference, image-to-video-api-reference, for wan 2.1 to 2.6).
 * A film from a text has a `size`, one from a picture a `resolution`, for its ratio is the picture's. The models from
 * wan 2.7 on take pictures in a field of their own (`input.media`), and are asked for films from texts alone.
 */
import type { TaskNews } from '../../core/tasks.ts';
import { refuse } from '../../dialects/bounds.ts';
import { compact, objectOf, textOf } from '../../dialects/fields.ts';
import { secondsOr } from '../film-lengths.ts';
import { atItsAddress, filmAt, filmNews, filmOperation, linesOf } from '../films.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest } from '../provider.ts';
import { finishJson } from '../vendor-operation.ts';

const LINES = [480, 720, 1080];
const DEFAULT_SIZE = '720*1280';
const KEPT_DAYS = 1;

/** wan2.1-i2v-turbo, wan2.6-i2v: a later model has another field for the picture. */
const TAKES_PICTURE = /^wanx?2\.[1-6]-/;

export const videos = filmOperation({
  path: () => '/api/v1/services/aigc/video-generation/video-synthesis',
  write({ prompt, seconds, size, picture }, { model }) {
    if (picture !== null && !TAKES_PICTURE.test(model)) {
      throw refuse('input_reference', {
        zh: '此模型的渠道不接受图片',
        en: 'channels of this model take no picture',
      });
    }
    const shape =
      picture === null
        ? { size: size ? `${size.width}*${size.height}` : DEFAULT_SIZE }
        : { resolution: `${size ? linesOf(size, LINES) : 720}P` };
    return {
      model,
      input: compact({ prompt, img_url: picture ?? undefined }),
      parameters: { ...shape, duration: seconds },
    };
  },
  finish: finishJson((body) => {
    const id = textOf(objectOf(body.output)?.task_id);
    return id ? { id } : body;
  }),
});

const STATUS: Readonly<Record<string, TaskNews['status']>> = {
  PENDING: 'QUEUED',
  RUNNING: 'IN_PROGRESS',
  SUCCEEDED: 'SUCCESS',
  FAILED: 'FAILURE',
};

export const films = (request: (channel: ChannelAccess, path: string) => UpstreamRequest): TaskWire => ({
  singly: true,
  seconds: secondsOr(5),
  ask: (channel, [id = '']) => request(channel, `/api/v1/tasks/${encodeURIComponent(id)}`),
  read(body, id) {
    const output = objectOf(objectOf(body)?.output);
    const said = textOf(output?.task_status);
    if (!output || said === undefined) return null;
    if (said === 'CANCELED') return filmNews(id, { status: 'FAILURE', fault: 'cancelled' });
    const status = STATUS[said] ?? 'UNKNOWN';
    const url = textOf(output.video_url) ?? '';
    return filmNews(id, {
      status,
      failReason: status === 'FAILURE' ? textOf(output.message) || textOf(output.code) || '' : '',
      data: url ? filmAt(url, KEPT_DAYS) : null,
    });
  },
  file: atItsAddress,
});
