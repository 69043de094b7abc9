/**
 * The slide captcha: somebody moves a piece to where it was cut out. The answer stays here, is asked for once, and a
 * right one opens one call of the same browser, in the same network, for two minutes.
 */
import { fail } from '../../../core/errors.ts';
import { secretText } from '../../../core/ids.ts';
import { limits } from '../../../core/limits.ts';
import type { Turn } from '../../../platform/fair-gate.ts';
import { addressSubject, type Known } from '../../../platform/limiter.ts';
import type { Shelf } from '../../../platform/one-time.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';
import { attempt, attemptAny, byCaller, byOwn } from '../../failed-attempts/service.ts';
import type { PuzzlePool } from './pool.ts';
import { TILE } from './puzzle.ts';

type CaptchaDeps = Pick<Deps, 'limiter' | 'oneTime' | 'options'>;

/** Where the piece lies at first; the hole is never there. */
const START_X = 6;

/** The wire's names. */
export interface Captcha {
  captcha_key: string;
  image_base64: string;
  tile_base64: string;
  tile_x: number;
  tile_y: number;
  tile_width: number;
  tile_height: number;
}

const answerKey = (key: string): string => `captcha:${sha256(key)}`;

/**
 * A new puzzle, good for one answer, of which the oldest on its shelves give way. Throws RATE_LIMIT, OVERLOADED, and
 * UNAVAILABLE while answers cannot be kept.
 */
export async function issueCaptcha(
  { oneTime }: Pick<Deps, 'oneTime'>,
  puzzles: PuzzlePool,
  { turn, shelves }: { turn: Turn; shelves: readonly Shelf[] },
): Promise<Captcha> {
  const { image, tile, x, y } = await puzzles.take(turn);
  const key = secretText();
  await oneTime.put(answerKey(key), JSON.stringify({ x, y }), limits.captchaSec, shelves);
  return {
    captcha_key: key,
    image_base64: image,
    tile_base64: tile,
    tile_x: START_X,
    tile_y: y,
    tile_width: TILE,
    tile_height: TILE,
  };
}

export interface Position {
  x: number;
  y: number;
}

/** What a right answer opens, and for whom. */
export interface Pass {
  /** The call that it is for. */
  purpose: string;
  /** Of the browser: another behind the same address spends none of its passes. */
  flowId: string;
  ip: string;
}

const passKey = ({ purpose, flowId, ip }: Pass): string =>
  `captcha-pass:${purpose}:${sha256(flowId)}:${addressSubject(ip)}`;

/**
 * Judges an answer, which uses the puzzle up whether it is right or not; a right one leaves a pass. Throws
 * CAPTCHA_WRONG, and RATE_LIMIT for who was wrong too often.
 */
export async function checkCaptcha(
  deps: CaptchaDeps,
  { key, position, pass, known }: { key: string; position: Position; pass: Pass; known: Known | null },
): Promise<void> {
  const answer = await deps.oneTime.take(answerKey(key));
  const ways = byCaller(deps, 'captcha', known, pass.ip);
  const isRight =
    answer !== null &&
    (await attempt(deps, byOwn(deps, 'captcha', pass.flowId), () =>
      attemptAny(deps, ways, async () => isNear(JSON.parse(answer) as Position, position)),
    ));
  if (!isRight) throw fail('CAPTCHA_WRONG', { data: { code: 1 } });
  await leavePass(deps, pass);
}

const isNear = (right: Position, given: Position): boolean =>
  Math.abs(right.x - given.x) <= limits.captchaTolerance &&
  Math.abs(right.y - given.y) <= limits.captchaTolerance;

/** A pass that waits to be used. */
export const leavePass = ({ oneTime }: Pick<Deps, 'oneTime'>, pass: Pass): Promise<void> =>
  oneTime.put(passKey(pass), 'passed', limits.captchaPassSec);

/** Uses a pass up. Throws CAPTCHA_NEEDED when there is none. */
export async function spendPass({ oneTime }: Pick<Deps, 'oneTime'>, pass: Pass): Promise<void> {
  if ((await oneTime.take(passKey(pass))) === null) throw fail('CAPTCHA_NEEDED');
}
