/** What callers ask about drawings of their own, and the pictures, which are open to all who know their address. */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { imagine } from '../../dialects/plain/midjourney.ts';
import {
  drawingAnswer,
  filmsOf,
  ownTasks,
  type PicturePlace,
  pictureOf,
  type TaskRow,
  taskById,
} from '../../modules/task/service.ts';
import { createFairGate, type FairGate } from '../../platform/fair-gate.ts';
import { writeLarge } from '../../platform/large-answer.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { OutgoingError } from '../../platform/outgoing.ts';
import { askSeed } from '../attempt/ask-tasks.ts';
import { siteOf } from '../attempt/prepare.ts';
import type { RelayDeps } from '../deps.ts';
import { apartOf, counterFor } from './apart.ts';
import { inRelaysWords, takeOfMinute, takeOfNetwork } from './rate-limit.ts';
import type { Pace, Question } from './reader.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';
import { FILES_PACE, passFile } from './task-files.ts';
import { answerTasks, idsIn } from './task-reads.ts';

/** `GET /mj/task/{id}/fetch` */
export const fetchDrawing = (question: Question, id: string, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, imagine, deps, async (caller) => {
    const [row] = await ownTasks(deps.db, caller, { platform: 'mj', ids: [id] });
    if (!row) throw fail('task_not_exist');
    return drawingAnswer(row, placeOf(question, deps));
  });

/** `POST /mj/task/list-by-condition`: a bare list. */
export const fetchDrawings = (question: Question, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, imagine, deps, async (caller, body): Promise<object> => {
    const rows = await ownTasks(deps.db, caller, { platform: 'mj', ids: idsIn(await body()) });
    return rows.map((row) => drawingAnswer(row, placeOf(question, deps)));
  });

/** `GET /mj/task/{id}/image-seed` */
export const fetchSeed = (question: Question, id: string, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, imagine, deps, async (caller) => {
    const [row] = await ownTasks(deps.db, caller, { platform: 'mj', ids: [id] });
    if (!row) throw fail('task_not_exist');
    await takeOfMinute('tasks:seeds', limits.taskSeedsAMinute, caller, deps);
    const { channel_id: channelId, key_id: keyId, upstream_id: upstreamId } = row;
    const slot = deps.calls.enter(question.ip);
    let seed: string | null;
    try {
      slot.of(caller.userId);
      seed = await askSeed({ channelId, keyId, upstreamId }, deps);
    } finally {
      slot.release();
    }
    if (seed === null) {
      throw fail('upstream_error', { params: { reason: { zh: '没有返回种子', en: 'it told no seed' } } });
    }
    return { code: 1, description: 'success', result: seed };
  });

/** Where nobody has set the site's address, that by which it was called. */
const placeOf = ({ request }: Question, deps: RelayDeps): PicturePlace => ({
  forwards: deps.options.get('MjForwardUrlEnabled'),
  address: siteOf(deps).address || new URL(request.url).origin,
});

/**
 * Whose share of places and room a reader takes who brings no key: his network's, in which what pages of other sites had
 * browsers ask for has a part of its own.
 */
function readerOf({ request, ip }: Question, deps: RelayDeps): { name: string; within: string } {
  const within = turnSubject(ip);
  return { name: counterFor(`readers:${within}`, request.headers, deps), within };
}

/**
 * The drawing at an address that guests know, which counts by itself: who asks for those that are none shuts none of his
 * neighbours', and soon has few looked for. Throws `rate_limit_exceeded`, OVERLOADED.
 */
async function drawingAt(
  { request: { headers }, ip }: Question,
  id: string,
  { name, aMinute }: Pace,
  deps: RelayDeps,
): Promise<TaskRow | null> {
  const brought = { kind: null, text: id, ip, apart: apartOf(headers, false, deps) };
  const row = await inRelaysWords(
    deps.drawings.look(brought, async () => {
      const found = await taskById(deps.db, id);
      return found?.platform === 'mj' ? found : null;
    }),
  );
  if (row) await takeOfNetwork(counterFor(`${name}:of:${row.public_id}`, headers, deps), aMinute, ip, deps);
  return row;
}

/** `GET /mj/video/{id}?piece=`: a film of a task, passed on as it comes. */
export async function showFilm(
  question: Question,
  id: string,
  query: URLSearchParams,
  deps: RelayDeps,
): Promise<Response> {
  const { request, ip } = question;
  const report = startReport(request, ip, deps);
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    report.hold(deps.calls.enterGuest(ip));
    const row = await drawingAt(question, id, FILES_PACE, deps);
    const piece = Number(query.get('piece') ?? '0');
    if (!row || !filmsOf(row)[piece]) throw fail('video_not_found');
    const reader = { userId: row.user_id, share: readerOf(question, deps).name, ip, left: request.signal };
    const { answer, written } = await passFile({ row, variant: 'video', piece }, reader, report.hold, deps);
    report.heldUntil(written);
    report.ended({ status: 200 });
    answer.headers.set('x-request-id', report.id);
    return answer;
  } catch (thrown) {
    return refusal(thrown, imagine, report, deps);
  }
}

const PICTURES_PACE: Pace = { name: 'pictures', aMinute: limits.picturesAMinute };

/** Kinds that a browser shows and that run nothing. */
const PICTURES = /^image\/(png|jpeg|webp|gif|avif)$/;

export const createPictureTurns = (): FairGate =>
  createFairGate({
    atOnce: limits.picturesAtOnce,
    ofOneAtOnce: limits.picturesOfOneAtOnce,
    waitingMax: limits.picturesWaiting,
    ofOneWaitingMax: limits.picturesWaiting / 2,
  });

/**
 * `GET /mj/image/{id}`: the picture of a task, fetched by us, so that nobody learns where it came from. Its call and its
 * room are kept until it is written: who asks for many and reads none fills no more than his network's share.
 */
export async function showPicture(question: Question, id: string, deps: RelayDeps): Promise<Response> {
  const { request, ip } = question;
  const report = startReport(request, ip, deps);
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    const slot = deps.calls.enterGuest(ip);
    report.hold(slot);
    const row = await drawingAt(question, id, PICTURES_PACE, deps);
    const picture = row ? pictureOf(row) : '';
    if (!row || picture === '') throw fail('image_not_found');
    const reader = readerOf(question, deps);
    const held = deps.picturesHeld.of(reader).hold();
    report.hold(held);
    const { status, headers, body } = await deps.pictureTurns.run(
      { who: reader.name, network: reader.within },
      async () => {
        const fetched = await deps.outgoing.call(picture, {
          maxBytes: limits.pictureBytes,
          timeoutMs: limits.pictureMs,
        });
        held.grow(fetched.body.byteLength);
        return fetched;
      },
    );
    const [type = ''] = (headers.get('content-type') ?? '').toLowerCase().split(';');
    if (status !== 200 || !PICTURES.test(type.trim())) throw fail('image_not_found');
    const writing = writeLarge({
      ...{ left: request.signal, cut: deps.cut, held },
      standsStill: slot.standsStill,
    });
    void deps.stopping.track(writing.written);
    report.heldUntil(writing.written);
    report.ended({ status: 200 });
    return writing.answerOf(body, {
      headers: {
        'content-type': type.trim(),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': row.status === 'SUCCESS' ? 'public, max-age=86400' : 'no-store',
        'x-request-id': report.id,
      },
    });
  } catch (thrown) {
    const error = thrown instanceof OutgoingError ? fail('image_not_found', { cause: thrown }) : thrown;
    return refusal(error, imagine, report, deps);
  }
}
