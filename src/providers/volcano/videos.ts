/**
 * Ark's films (Seedance). `POST /api/v3/contents/generations/tasks` with `{model, content: [{type: 'text', text}, {type:
 * 'image_url', image_url: {url}}], resolution, ratio, duration}` answers `{id}`; `GET` of the same with the id tells
 * `status` (queued, running, cancelled, succeeded, failed, expired), `error.message` and `content.video_url`, which lives
 * for 24 hours (volcengine.com/docs/82379/1520757 and 1521309; `content_generation.tasks` of volcenginesdkarkruntime).
 */
import type { TaskNews } from '../../core/tasks.ts';
import { compact, objectOf, textOf } from '../../dialects/fields.ts';
import { secondsOr } from '../film-lengths.ts';
import { atItsAddress, filmAt, filmNews, filmOperation, linesOf, ratioOf } from '../films.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest } from '../provider.ts';

const PATH = '/api/v3/contents/generations/tasks';
const LINES = [480, 720, 1080];
const RATIOS = ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'];
const PORTRAIT = { width: 720, height: 1280 };
const KEPT_DAYS = 1;

export const videos = filmOperation({
  path: () => PATH,
  write({ prompt, seconds, size, picture }, { model }) {
    const shape = size ?? (picture === null ? PORTRAIT : null);
    return compact({
      model,
      content: [
        { type: 'text', text: prompt },
        ...(picture === null ? [] : [{ type: 'image_url', image_url: { url: picture } }]),
      ],
      resolution: `${shape ? linesOf(shape, LINES) : 720}p`,
      // Where it begins with a picture the ratio is the picture's, unless another is asked for.
      ratio: shape ? ratioOf(shape, RATIOS) : undefined,
      duration: seconds,
    });
  },
});

const STATUS: Readonly<Record<string, TaskNews['status']>> = {
  queued: 'QUEUED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  expired: 'FAILURE',
};

export const films = (request: (channel: ChannelAccess, path: string) => UpstreamRequest): TaskWire => ({
  singly: true,
  // An endpoint's name (`ep-…`) tells no model.
  seconds: secondsOr(5),
  ask: (channel, [id = '']) => request(channel, `${PATH}/${encodeURIComponent(id)}`),
  read(body, id) {
    const answer = objectOf(body);
    const said = textOf(answer?.status);
    if (!answer || said === undefined) return null;
    if (said === 'cancelled') return filmNews(id, { status: 'FAILURE', fault: 'cancelled' });
    const status = STATUS[said] ?? 'UNKNOWN';
    const url = textOf(objectOf(answer.content)?.video_url) ?? '';
    return filmNews(id, {
      status,
      failReason: status === 'FAILURE' ? (textOf(objectOf(answer.error)?.message) ?? '') : '',
      data: url ? filmAt(url, KEPT_DAYS) : null,
    });
  },
  file: atItsAddress,
});
