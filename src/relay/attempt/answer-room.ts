/** Reads whole answers, in the room that their callers have for them. */
import { AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Unshown } from '../answer/answers.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import type { Outcome } from './outcome.ts';
import { answerTo, type Prepared } from './prepared.ts';

/** Counts the bytes of an answer as they come; throws where there is no room for more. */
export type Grow = (bytes: number) => void;

/**
 * What `read` makes of an answer. One that is too large, or finds no room among the answers that its caller has not taken
 * yet, is charged and not shown: the upstream has worked, and to ask the next one would be to pay twice.
 */
export async function inRoom(
  request: RelayRequest,
  prepared: Prepared,
  { answersHeld }: Pick<RelayDeps, 'answersHeld'>,
  read: (grow: Grow) => Promise<Outcome>,
): Promise<Outcome> {
  const held = answersHeld.of(request.userId).hold();
  request.hold(held);
  let bytes = 0;
  let error: AppError | null = null;
  const grow: Grow = (more) => {
    bytes += more;
    error = bytes > limits.upstreamPlainBytes ? tooLarge() : errorOf(() => held.grow(more));
    if (error) throw error;
  };
  try {
    const outcome = await read(grow);
    if (outcome.kind === 'failed') held.release();
    return outcome;
  } catch (thrown) {
    held.release();
    if (!error || thrown !== error) throw thrown;
    return unshown(error, prepared);
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
