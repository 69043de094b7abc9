/** What callers ask about films of their own, after OpenAI's Videos API; their files come from here, whoever keeps them. */
import { AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { failText, isTaskOver } from '../../core/tasks.ts';
import { filmId, publicIdOf, videoObject } from '../../core/video-object.ts';
import { oneOf, refuse } from '../../dialects/bounds.ts';
import { numberOf, objectOf, textOf } from '../../dialects/fields.ts';
import { openaiVideos } from '../../dialects/plain/openai-videos.ts';
import { deleteTask, ownTasks, pageOfTasks, type TaskRow } from '../../modules/task/service.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { createFairGate } from '../../platform/fair-gate.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { passOn } from '../answer/pass-on.ts';
import { openFilm } from '../attempt/open-film.ts';
import type { RelayDeps } from '../deps.ts';
import { answerRoom } from '../shares.ts';
import { letIn, type Pace, type Question } from './reader.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';
import { answerTasks } from './task-reads.ts';

const platform = 'video' as const;

const seconds = (ms: number): number => Math.floor(ms / 1_000);

const expiresAt = ({ data }: TaskRow): number => numberOf(objectOf(data)?.expires_at) ?? 0;

const videoOf = (row: TaskRow): JsonObject =>
  videoObject({
    publicId: row.public_id,
    model: row.model_name,
    status: row.status,
    progress: row.progress,
    prompt: textOf(row.input.prompt) ?? '',
    seconds: textOf(row.input.seconds) ?? '',
    size: textOf(row.input.size) ?? '',
    createdSec: seconds(row.submit_time),
    completedSec: seconds(row.finish_time),
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

/** Kinds that run nothing in a browser. What keeps files often says nothing of them. */
const SHOWN = /^(?:video\/[\w.+-]+|image\/(?:png|jpeg|webp))$/;
const UNSAID = /^(?:application|binary)\/octet-stream$/;

const gate = createFairGate({
  atOnce: limits.videosAtOnce,
  ofOneAtOnce: limits.videosOfOneAtOnce,
  waitingMax: limits.videosWaiting,
  ofOneWaitingMax: limits.videosWaiting / 2,
});

const FILES_PACE: Pace = { name: 'videos:files', aMinute: limits.videoFilesAMinute };

/** `GET /v1/videos/{id}/content?variant=`: passed on as it comes, as fast as the caller takes it. */
export async function showVideoFile(
  { request, ip }: Question,
  id: string,
  query: URLSearchParams,
  deps: RelayDeps,
): Promise<Response> {
  const report = startReport(request, ip, deps);
  try {
    const { caller } = await letIn({ request, ip }, FILES_PACE, report, deps);
    const variant = query.get('variant') ?? 'video';
    if (!VARIANTS.includes(variant)) throw refuse('variant', oneOf(...VARIANTS));
    const row = await ownFilm(caller, id, deps);
    if (row.status !== 'SUCCESS') throw fail('video_not_done');
    const leave = await gate.enter({ who: String(caller.userId), network: turnSubject(ip) });
    report.hold({ release: leave });
    // Some films stand in an answer that is read whole.
    const held = answerRoom({ userId: caller.userId, ip }, deps).hold();
    report.hold(held);
    const asked = { variant, left: request.signal, grow: (bytes: number) => held.grow(bytes) };
    const { headers, body } = await fileOf(row, asked, deps, (written) => {
      void deps.stopping.track(written);
      report.heldUntil(written);
    });
    report.ended({ status: 200, userId: caller.userId, tokenId: caller.tokenId });
    return new Response(body, {
      headers: {
        ...headers,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, no-store',
        'x-request-id': report.id,
      },
    });
  } catch (thrown) {
    return refusal(thrown, openaiVideos, report, deps);
  }
}

/** `heldUntil` is told when the file has been passed on, or given up. Throws `video_gone`, `upstream_error`. */
async function fileOf(
  row: TaskRow,
  { variant, left, grow }: { variant: string; left: AbortSignal; grow: (bytes: number) => void },
  deps: RelayDeps,
  heldUntil: (written: Promise<void>) => void,
): Promise<{ headers: Record<string, string>; body: ReadableStream }> {
  const abort = new AbortController();
  const patience = new Patience(abort, limits.videoOpenMs);
  try {
    const answer = await openFilm(
      { channelId: row.channel_id, keyId: row.key_id, upstreamId: row.upstream_id, data: row.data },
      { variant, signal: abort.signal, grow },
      deps,
    );
    const type = kindOf(answer);
    if (!answer?.body || type === null) throw fail('video_gone');
    const length = answer.headers.has('content-encoding') ? null : answer.headers.get('content-length');
    const passing = passOn({ left, cut: deps.cut, bytes: length === null ? null : Number(length) });
    heldUntil(passing.written);
    void passing.written.then(() => {
      patience.end();
      abort.abort();
    });
    return {
      headers: { 'content-type': type, ...(length !== null && { 'content-length': length }) },
      body: passing.bodyOf(piecesOf(answer.body, patience)),
    };
  } catch (error) {
    patience.end();
    abort.abort();
    throw error instanceof AppError ? error : unfetched(error);
  }
}

const unfetched = (cause?: unknown) =>
  fail('upstream_error', {
    params: { reason: { zh: '无法取得视频文件', en: 'the file of the video cannot be fetched' } },
    cause,
  });

/** Null for what is no file of a film. */
function kindOf(answer: Response | null): string | null {
  if (answer?.status !== 200) return null;
  const [type = ''] = (answer.headers.get('content-type') ?? 'application/octet-stream')
    .toLowerCase()
    .split(';');
  if (UNSAID.test(type.trim())) return 'application/octet-stream';
  return SHOWN.test(type.trim()) ? type.trim() : null;
}

async function* piecesOf(body: ReadableStream<Uint8Array>, patience: Patience): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  patience.wait(limits.videoIdleMs);
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > limits.videoBytes) throw unfetched();
    // While its caller reads nobody waits for the upstream.
    patience.end();
    yield piece;
    patience.wait(limits.videoIdleMs);
  }
  patience.end();
}

/** Aborts what an upstream takes too long for. */
class Patience {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly abort: AbortController,
    ms: number,
  ) {
    this.wait(ms);
  }

  wait(ms: number): void {
    this.end();
    this.#timer = setTimeout(() => this.abort.abort(), ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
