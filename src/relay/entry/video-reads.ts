/** What callers ask about films of their own, after OpenAI's Videos API; their files come from here, whoever keeps them. */
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { shareOfUser } from '../../core/share.ts';
import { failText, isTaskOver } from '../../core/tasks.ts';
import { secOf } from '../../core/time.ts';
import { filmId, publicIdOf, videoObject } from '../../core/video-object.ts';
import { oneOf, refuse } from '../../dialects/bounds.ts';
import { textOf } from '../../dialects/fields.ts';
import { openaiVideos } from '../../dialects/plain/openai-videos.ts';
import { deleteTask, expiresAt, ownTasks, pageOfTasks, type TaskRow } from '../../modules/task/service.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';
import { letIn, type Question } from './reader.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';
import { FILES_PACE, passFile } from './task-files.ts';
import { answerTasks } from './task-reads.ts';

const platform = 'video' as const;

const videoOf = (row: TaskRow): JsonObject =>
  videoObject({
    publicId: row.public_id,
    model: row.model_name,
    status: row.status,
    progress: row.progress,
    prompt: textOf(row.input.prompt) ?? '',
    seconds: textOf(row.input.told_seconds) ?? textOf(row.input.seconds) ?? '',
    size: textOf(row.input.size) ?? '',
    createdSec: secOf(row.submit_time),
    completedSec: secOf(row.finish_time),
    expiresSec: expiresAt(row),
    failure: failText(row, 'en'),
  });

async function ownFilm(caller: Caller, id: string, { db }: RelayDeps): Promise<TaskRow> {
  const [row] = await ownTasks(db, caller, { platform, ids: [publicIdOf(id)] });
  if (!row) throw fail('video_not_found');
  return row;
}

/** `GET /v1/videos/{id}` */
export const showVideo = (question: Question, id: string, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, openaiVideos, deps, async (caller) => videoOf(await ownFilm(caller, id, deps)));

/** `DELETE /v1/videos/{id}`: of one that is done, or has failed. */
export const removeVideo = (question: Question, id: string, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, openaiVideos, deps, async (caller): Promise<object> => {
    const { public_id: publicId, status } = await ownFilm(caller, id, deps);
    if (!isTaskOver(status)) throw fail('video_not_done');
    if (!(await deleteTask(deps.db, caller, { platform, publicId }))) throw fail('video_not_found');
    return { id: filmId(publicId), object: 'video.deleted', deleted: true };
  });

const LISTED = 20;
const LISTED_MOST = 100;

/** `GET /v1/videos?after=&limit=&order=`, newest first. */
export const listVideos = (question: Question, query: URLSearchParams, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, openaiVideos, deps, async (caller): Promise<object> => {
    const limit = limitIn(query);
    const order = query.get('order') ?? 'desc';
    if (order !== 'asc' && order !== 'desc') throw refuse('order', oneOf('asc', 'desc'));
    const rows = await pageOfTasks(deps.db, caller, {
      ...{ platform, limit },
      after: publicIdOf(query.get('after') ?? ''),
      isAscending: order === 'asc',
    });
    const data = rows.slice(0, limit).map(videoOf);
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: rows.length > limit,
    };
  });

function limitIn(query: URLSearchParams): number {
  const text = query.get('limit') ?? String(LISTED);
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= LISTED_MOST) return Number(text);
  throw refuse('limit', {
    zh: `应为 1 到 ${LISTED_MOST} 的整数`,
    en: `a whole number from 1 to ${LISTED_MOST} is expected`,
  });
}

// ---- The file ----------------------------------------------------------------------------------------------------

const VARIANTS = ['video', 'thumbnail', 'spritesheet'];

/** `GET /v1/videos/{id}/content?variant=` */
export async function showVideoFile(
  { request, ip }: Question,
  id: string,
  query: URLSearchParams,
  deps: RelayDeps,
): Promise<Response> {
  const report = startReport(request, ip, deps);
  try {
    const { caller } = await letIn({ request, ip }, FILES_PACE, report, deps);
    const slot = deps.calls.enter(ip);
    report.hold(slot);
    slot.of(caller.userId);
    const variant = query.get('variant') ?? 'video';
    if (!VARIANTS.includes(variant)) throw refuse('variant', oneOf(...VARIANTS));
    const row = await ownFilm(caller, id, deps);
    if (row.status !== 'SUCCESS') throw fail('video_not_done');
    const { userId } = caller;
    const reader = { userId, share: shareOfUser(userId), ip, left: request.signal };
    const { answer, written } = await passFile({ row, variant, piece: 0 }, reader, report.hold, deps);
    report.heldUntil(written);
    report.ended({ status: 200, userId, tokenId: caller.tokenId });
    answer.headers.set('x-request-id', report.id);
    return answer;
  } catch (thrown) {
    return refusal(thrown, openaiVideos, report, deps);
  }
}
