/** Reads whole answers, in the room that their callers have for them. */
import { AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Usage } from '../../core/usage.ts';
import type { Unshown } from '../answer/answers.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { answerRoom } from '../shares.ts';
import type { Outcome } from './outcome.ts';
import { answerTo, type Prepared } from './prepared.ts';
import { readPlain } from './read-plain.ts';
import { readWhole } from './send.ts';
import { usageAtEnd } from './usage-at-end.ts';

/**
 * Counts the bytes of an answer as they come; throws where there are too many for its caller. False where others fill the
 * memory: nothing of it is kept from then on, and it is read for its usage alone.
 */
export type Grow = (bytes: number) => boolean;

/** Of an answer that is read for its usage alone. */
export interface Unkept {
  kind: 'unkept';
  usage: Usage | null;
}

/** What an answer that is read for its usage alone has told when it turns out to be too large even for that. */
export interface Told {
  promptUsage: Usage | null;
  /** Of what was said. */
  bytes: number;
}

/** How whole answers are read. */
export interface Reading {
  grow: Grow;
  /** Asked where an answer is given up of which nothing is kept; without it all its bytes are taken for what was said. */
  told: (() => Told) | null;
}

/**
 * What `read` makes of an answer. One that is too large, or finds no room among the answers that its caller has not taken
 * yet, is charged and not shown: the upstream has worked, and to ask the next one would be to pay twice. What others
 * leave no room for costs what its upstream tells, or has told by then.
 */
export async function inRoom(
  request: RelayRequest,
  prepared: Prepared,
  deps: Pick<RelayDeps, 'answersHeld' | 'answersByNetwork'>,
  read: (reading: Reading) => Promise<Outcome | Unkept>,
): Promise<Outcome> {
  const held = answerRoom(request, deps).hold();
  request.hold(held);
  let bytes = 0;
  let error: AppError | null = null;
  let full: AppError | null = null;
  const grow: Grow = (more) => {
    bytes += more;
    if (bytes > limits.upstreamPlainBytes) error = tooLarge();
    else if (!full) {
      const isWithinShare = deps.answersHeld.isWithinShare(request.userId, more);
      const refused = errorOf(() => held.grow(more));
      if (refused && isWithinShare) {
        full = refused;
        held.release();
      } else error = refused;
    }
    if (error) throw error;
    return full === null;
  };
  const reading: Reading = { grow, told: null };
  try {
    const outcome = await read(reading);
    if (outcome.kind === 'unkept') return unkept(full ?? fail('OVERLOADED'), outcome.usage, prepared);
    if (outcome.kind !== 'plain') held.release();
    return outcome;
  } catch (thrown) {
    held.release();
    if (!error || thrown !== error) throw thrown;
    if (full) return givenUp(error, reading.told?.() ?? { promptUsage: null, bytes }, prepared);
    return unshown(error, prepared);
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
  return inRoom(request, prepared, deps, async ({ grow }) => {
    let isKept = true;
    const text = await readWhole(response, Number.POSITIVE_INFINITY, deps, (bytes) => {
      isKept = grow(bytes);
      return isKept;
    });
    if (isKept) return judge(readPlain(text, prepared));
    return { kind: 'unkept', usage: usageAtEnd(text, prepared.passage) };
  });
}

/**
 * Reads what an upstream says to a task that it is to take, which needs none of the room: it is small, and by it alone the
 * task is known. One that is too large was taken perhaps, and nobody else is asked.
 */
export async function readTaken(response: Response, prepared: Prepared, deps: RelayDeps): Promise<Outcome> {
  try {
    return readPlain(await readWhole(response, limits.taskTakenBytes, deps), prepared);
  } catch (thrown) {
    if (thrown instanceof AppError) return unshown(thrown, prepared);
    throw thrown;
  }
}

const tooLarge = (): AppError =>
  fail('upstream_error', { params: { reason: { zh: '回答过大', en: 'its answer is too large' } } });

function errorOf(grow: () => void): AppError | null {
  try {
    grow();
    return null;
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
}

const unshown = (error: AppError, prepared: Prepared): Unshown => ({
  kind: 'unshown',
  answer: answerTo(prepared),
  why: 'too-large',
  error,
  // He has asked for it.
  blame: 'caller',
  usage: null,
  promptUsage: null,
  isCutShort: true,
});

/** Others left no room for it, and it was read for its usage until it was too large: what was seen is known, and no more. */
const givenUp = (error: AppError, { promptUsage, bytes }: Told, prepared: Prepared): Unshown => ({
  ...unshown(error, prepared),
  promptUsage,
  saidBytes: bytes,
});

/** It was read to its end: what was not told there is charged by the prompt. */
const unkept = (error: AppError, usage: Usage | null, prepared: Prepared): Unshown => ({
  ...unshown(error, prepared),
  why: 'no-room',
  blame: 'nobody',
  usage,
  isCutShort: false,
});
