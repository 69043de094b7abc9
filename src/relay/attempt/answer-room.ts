/** Reads whole answers, in the room that their callers have for them. */
import { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Unshown } from '../answer/answers.ts';
import { unshown } from '../answer/failed.ts';
import { type NoRoom, RoomMeter } from '../answer/room-meter.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { type Failure, noRoom, type Outcome } from './outcome.ts';
import { answerTo, type Prepared } from './prepared.ts';
import { readPlain } from './read-plain.ts';
import { readWhole } from './send.ts';

/** Counts the bytes of an answer as they come; throws where there are too many for its caller, or others fill the memory. */
export type Grow = (bytes: number) => void;

/**
 * What `read` makes of an answer. One that is too large, or beyond its caller's own share of the room, or that of a
 * network where he holds the most, is charged and not shown: the upstream has worked, and to ask the next one would be to
 * pay twice. Where it is others who leave no room, it is given up and costs nothing.
 */
export async function inRoom(
  request: RelayRequest,
  prepared: Prepared,
  deps: Pick<RelayDeps, 'answersHeld' | 'answersByNetwork' | 'lackedRoom'>,
  read: (grow: Grow) => Promise<Outcome>,
): Promise<Outcome> {
  const meter = new RoomMeter(request, deps);
  const { held } = meter;
  try {
    const outcome = await read(meter.grow);
    if (outcome.kind === 'plain') {
      meter.fitted();
      return { ...outcome, held };
    }
    held.release();
    return outcome;
  } catch (thrown) {
    held.release();
    const refused = meter.refusedBy(thrown);
    if (!refused) throw thrown;
    return withoutRoom(refused, prepared);
  }
}

/** What an answer came to that had no room and was not shown. */
export function withoutRoom({ why, error }: NoRoom, prepared: Prepared): Failure | Unshown {
  switch (why) {
    case 'others':
      return noRoom(error);
    case 'gave-way':
      return unshown(why, answerTo(prepared), error);
    default:
      return unshown('too-large', answerTo(prepared), error);
  }
}

/** Reads an answer that stands in one piece of JSON or text; `judge` may yet find it to be none. */
export function readInRoom(
  response: Response,
  request: RelayRequest,
  prepared: Prepared,
  deps: RelayDeps,
  judge = (outcome: Outcome): Outcome => outcome,
): Promise<Outcome> {
  return inRoom(request, prepared, deps, async (grow) =>
    judge(readPlain(await readWhole(response, Number.POSITIVE_INFINITY, deps, grow), prepared)),
  );
}

/**
 * Reads what an upstream says to a task that it is to take, which needs none of the room: it is small, and by it alone the
 * task is known. One that is too large was taken perhaps, and nobody else is asked.
 */
export async function readTaken(response: Response, prepared: Prepared, deps: RelayDeps): Promise<Outcome> {
  try {
    return readPlain(await readWhole(response, limits.taskTakenBytes, deps), prepared);
  } catch (thrown) {
    if (thrown instanceof AppError) return unshown('too-large', answerTo(prepared), thrown);
    throw thrown;
  }
}
