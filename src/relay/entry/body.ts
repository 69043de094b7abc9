/** Reads callers' bodies within bounds. */

import { fail } from '../../core/errors.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { weightOf } from '../../core/json-weight.ts';
import { limits } from '../../core/limits.ts';
import { guardJson, requestKeys } from '../../dialects/json-guard.ts';
import { BODY, jsonRefusal } from '../../dialects/json-refusal.ts';
import type { HeldBytes, Room } from '../../platform/body-budget.ts';
import { giveUp } from '../../platform/given-up.ts';
import { watchPace } from '../../platform/pace.ts';
import { readBounded } from '../../platform/read-bounded.ts';

export interface ReadBody {
  body: JsonObject;
  held: HeldBytes;
}

interface Times {
  withinMs: number;
  /** The same for a small body, which has no pace. */
  atOnceMs: number;
  /** How often it is looked whether enough has come. */
  paceMs: number;
}

/** Waits until it is its caller's turn to have a body of so many letters read. */
export type BodyTurn = (chars: number, left: AbortSignal) => Promise<void>;

/** The JSON object that a caller sends. Throws what is wrong with it, in the order in which it can be known. */
export async function readRequestBody(
  request: Request,
  room: Room,
  turn: BodyTurn,
  {
    withinMs = limits.bodyReadMs,
    atOnceMs = limits.bodyAtOnceMs,
    paceMs = limits.bodyPaceMs,
  }: Partial<Times> = {},
): Promise<ReadBody> {
  const { headers } = request;
  const encoding = headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') throw fail('body_encoding');
  const announced = Number(headers.get('content-length') ?? 0);
  if (announced > limits.relayJsonBytes) throw fail('body_too_large');
  const held = room.hold();
  try {
    const text = await readText(request, held, { announced, withinMs, atOnceMs, paceMs });
    await turn(text.length, request.signal);
    const { body, places } = parse(text, held);
    const weight = text.length > limits.bodyAtOnceBytes ? weightOf(body) : 0;
    // The blanks between its values are gone.
    if (weight > 0) held.keep(weight + places);
    return { body, held };
  } catch (error) {
    held.release();
    throw request.signal.aborted ? fail('client_gone') : error;
  }
}

const late = () => fail('body_timeout');

/** The body's text; what is not read to its end is given up. */
async function readText(
  request: Request,
  held: HeldBytes,
  { announced, withinMs, atOnceMs, paceMs }: Times & { announced: number },
): Promise<string> {
  const { promise: text, resolve: came, reject: end } = Promise.withResolvers<string>();
  const hasCome = held.comes(end);
  const isSmall = announced > 0 && announced <= limits.bodyAtOnceBytes;
  // A small body may be read at once, which is faster; of others no more is held than has come.
  const isAtOnce = isSmall && !held.toldByPiece?.();
  const timer = setTimeout(() => end(late()), isSmall ? Math.min(withinMs, atOnceMs) : withinMs);
  const pace = isSmall ? null : watchPace(() => end(late()), paceMs);
  const grow = (bytes: number) => {
    held.grow(bytes);
    pace?.came(bytes);
  };
  try {
    if (isAtOnce) held.grow(announced);
    readBounded(request, limits.relayJsonBytes, isAtOnce ? undefined : grow).then(came, end);
    return await text;
  } catch (error) {
    giveUp(request);
    throw error;
  } finally {
    clearTimeout(timer);
    pace?.end();
    hasCome();
  }
}

/** The object, and bytes that its numbers for names take beside what they weigh, which are held before it is made. */
function parse(text: string, held: HeldBytes): { body: JsonObject; places: number } {
  const keys = requestKeys(limits.jsonPlacesBytes);
  const fault = guardJson(text, keys);
  if (fault) throw jsonRefusal(fault, BODY);
  if (keys.places > 0) held.grow(keys.places);
  const body = parseObject(text);
  if (!body) throw jsonRefusal('json', BODY);
  return { body, places: keys.places };
}
