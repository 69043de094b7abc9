/**
 * The files of tasks, whoever keeps them: they come from here and are passed on as they come, as fast as their reader
 * takes them. Where a film lies nobody learns; of a song its wire tells it, in what came out.
 */
import { AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { TaskFile, TaskFileReader, TaskFiles } from '../../modules/task/service.ts';
import { passOn } from '../answer/pass-on.ts';
import { openFile } from '../attempt/open-file.ts';
import type { RelayDeps } from '../deps.ts';
import type { Held } from '../request.ts';
import { answerRoom } from '../shares.ts';
import { takeOfMinute } from './rate-limit.ts';
import type { Pace } from './reader.ts';

export const FILES_PACE: Pace = { name: 'videos:files', aMinute: limits.videoFilesAMinute };

/** Kinds that run nothing in a browser. What keeps files often says nothing of them. */
const SHOWN = /^(?:(?:video|audio)\/[\w.+-]+|image\/(?:png|jpeg|webp))$/;
const UNSAID = /^(?:application|binary)\/octet-stream$/;

/** For the console, whose readers have a pace and a place among the calls under way as callers with a key have. */
export const createTaskFiles = (deps: RelayDeps): TaskFiles => ({
  async answer(file, reader) {
    const holds: Held[] = [];
    const release = () => {
      for (const held of holds) held.release();
    };
    try {
      const slot = deps.calls.enter(reader.ip);
      holds.push(slot);
      slot.of(reader.userId);
      await takeOfMinute(FILES_PACE.name, FILES_PACE.aMinute, reader, deps);
      const { answer, written } = await passFile(file, reader, (held) => holds.push(held), deps);
      void written.then(release);
      answer.headers.set('content-disposition', `attachment; filename="${file.row.public_id}"`);
      return answer;
    } catch (error) {
      release();
      throw error;
    }
  },
});

/**
 * `hold` is given what is to be released when the file was passed on, or given up. Throws `video_gone`, `upstream_error`,
 * OVERLOADED.
 */
export async function passFile(
  { row, variant, piece }: TaskFile,
  { userId, share, ip, left }: TaskFileReader,
  hold: (held: Held) => void,
  deps: RelayDeps,
): Promise<{ answer: Response; written: Promise<void> }> {
  const place = await deps.filePlaces.enter({ share, ip, left });
  hold({ release: place.leave });
  // Some films stand in an answer that is read whole.
  const room = answerRoom({ userId, ip }, deps).hold();
  hold(room);
  const abort = new AbortController();
  const patience = new Patience(abort, limits.videoOpenMs);
  try {
    const { channel_id: channelId, key_id: keyId, upstream_id: upstreamId, data } = row;
    const asked = { variant, piece, signal: abort.signal, grow: (bytes: number) => room.grow(bytes) };
    const given = await openFile({ channelId, keyId, upstreamId, data }, asked, deps);
    const type = kindOf(given);
    if (!given?.body || type === null) throw fail('video_gone');
    const length = given.headers.has('content-encoding') ? null : given.headers.get('content-length');
    const bytes = length === null ? null : Number(length);
    const passing = passOn({ left, cut: deps.cut, bytes, standsStill: place.standsStill });
    const { written } = passing;
    void deps.stopping.track(written);
    void written.then(() => {
      patience.end();
      abort.abort();
    });
    const answer = passing.answerOf(piecesOf(given.body, patience), {
      headers: {
        'content-type': type,
        ...(length !== null && { 'content-length': length }),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, no-store',
      },
    });
    return { answer, written };
  } catch (error) {
    patience.end();
    abort.abort();
    throw error instanceof AppError ? error : unfetched(error);
  }
}

const unfetched = (cause?: unknown) =>
  fail('upstream_error', {
    params: { reason: { zh: '无法取得文件', en: 'the file cannot be fetched' } },
    cause,
  });

/** Null for what is no file of a task. */
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
