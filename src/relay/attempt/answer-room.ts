/** Reads whole answers, in the room that their callers have for them. */
import { AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Usage } from '../../core/usage.ts';
import type { Unshown } from '../answer/answers.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
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

/**
 * What `read` makes of an answer. One that is too large, or finds no room among the answers that its caller has not taken
 * yet, is charged and not shown: the upstream has worked, and to ask the next one would be to pay twice. What others
 * leave no room for costs what its upstream tells.
 */
export async function inRoom(
  request: RelayRequest,
  prepared: Prepared,
  { answersHeld }: Pick<RelayDeps, 'answersHeld'>,
  read: (grow: Grow) => Promise<Outcome | Unkept>,
): Promise<Outcome> {
  const held = answersHeld.of(request.userId).hold();
  request.hold(held);
  let bytes = 0;
  let error: AppError | null = null;
  let full: AppError | null = null;
  const grow: Grow = (more) => {
    bytes += more;
    if (bytes > limits.upstreamPlainBytes) error = tooLarge();
    else if (!full) {
      const isWithinShare = answersHeld.isWithinShare(request.userId, more);
      const refused = errorOf(() => held.grow(more));
      if (refused && isWithinShare) {
        full = refused;
        held.release();
      } else error = refused;
    }
    if (error) throw error;
    return full === null;
  };
  try {
    const outcome = await read(grow);
    if (outcome.kind === 'unkept') return unkept(full ?? fail('OVERLOADED'), outcome.usage, prepared);
    if (outcome.kind !== 'plain') held.release();
    return outcome;
  } catch (thrown) {
    held.release();
    if (!error || thrown !== error) throw thrown;
    return unshown(error, prepared);
  }
}

/** Reads an answer that stands in one piece of JSON or text. */
export function readInRoom(
  response: Response,
  request: RelayRequest,
  prepared: Prepared,
  deps: RelayDeps,
): Promise<Outcome> {
  return inRoom(request, prepared, deps, async (grow) => {
    let isKept = true;
    const text = await readWhole(response, Number.POSITIVE_INFINITY, deps, (bytes) => {
      isKept = grow(bytes);
      return isKept;
    });
    if (isKept) return readPlain(text, prepared);
    return { kind: 'unkept', usage: usageAtEnd(text, prepared.passage) };
  });
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

/** It was read to its end: what was not told there is charged by the prompt. */
const unkept = (error: AppError, usage: Usage | null, prepared: Prepared): Unshown => ({
  ...unshown(error, prepared),
  why: 'no-room',
  blame: 'nobody',
  usage,
  isCutShort: false,
});
