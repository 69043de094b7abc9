/**
 * Bodies of `/api`: JSON of a bounded size that arrives in time. Forms are not read, so that no page of another site
 * can have a browser send one.
 */
import { Elysia } from 'elysia';
import { AppError, badParam, fail } from '../core/errors.ts';
import { valuesIn } from '../core/json-depth.ts';
import { JsonKeys } from '../core/json-keys.ts';
import { limits } from '../core/limits.ts';
import type { HeldBytes } from '../platform/body-budget.ts';
import { gather } from '../platform/gather.ts';
import { giveUp } from '../platform/given-up.ts';
import { watchPace } from '../platform/pace.ts';
import type { BodyMost } from './body-size.ts';
import type { ConsoleBodies } from './console-bodies.ts';
import type { RequestContext } from './context.ts';
import { placeOf } from './open-answers.ts';

const badBody = () => badParam('body');

interface Bounds {
  bytesMax: number;
  deadlineMs: number;
  paceMs?: number;
  /** Grows as the body comes; whoever made it releases it. */
  held: HeldBytes;
}

/** The body's bytes. Throws BODY_TOO_LARGE, BODY_TIMEOUT, BAD_PARAM when they end early, OVERLOADED when there is no room. */
export async function readBounded(
  request: Request,
  { bytesMax, deadlineMs, paceMs, held }: Bounds,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw fail('BODY_TOO_LARGE');
  if (!request.body) return new Uint8Array();
  const pieces = gather(request.body);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let ended: AppError | null = null;
  const end = (why: AppError) => {
    ended ??= why;
    pieces.cancel();
  };
  const late = () => end(fail('BODY_TIMEOUT'));
  const timer = setTimeout(late, deadlineMs);
  const pace = watchPace(late, paceMs);
  const hasCome = held.comes(end);
  try {
    for (;;) {
      const piece = await pieces.next();
      if (ended) throw ended;
      if (!piece) return Buffer.concat(parts);
      bytes += piece.byteLength;
      if (bytes > bytesMax) throw fail('BODY_TOO_LARGE');
      held.grow(piece.byteLength);
      pace.came(piece.byteLength);
      parts.push(piece);
    }
  } catch (error) {
    pieces.cancel();
    // At once: of those that come together each would find the others' room taken, and none be read.
    held.release();
    giveUp(request);
    // Else the caller has left in the middle of it.
    throw error instanceof AppError ? error : badBody();
  } finally {
    clearTimeout(timer);
    pace.end();
    hasCome();
  }
}

/** The JSON of a body that may be so large; the lists of names that are numbers may be as large as that. Throws BAD_PARAM. */
function readJson(bytes: Uint8Array, { bytes: places, values: most, names: count }: BodyMost): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const values = valuesIn(text, { most, deepest: limits.jsonDepthMax });
    const isBounded = Number.isFinite(values) && !new JsonKeys({ count, places }).fault(text);
    if (isBounded) return JSON.parse(text);
  } catch {
    // Neither UTF-8 nor JSON: refused below like what is nested too deeply, or has too many values or keys, or names that
    // would stop the parser.
  }
  throw badBody();
}

const isCompressed = (request: Request): boolean =>
  (request.headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity';

const isJson = ({ headers }: Request): boolean =>
  headers.get('content-type')?.split(';')[0]?.trim() === 'application/json';

/**
 * Reads what somebody sends, whatever it is. The room that it takes is given back after the answer, whose place is others'
 * while it comes.
 */
export async function readBytes(
  request: Request,
  context: RequestContext,
  consoleBodies: ConsoleBodies,
  bytesMax: number = limits.guestBodyBytes,
): Promise<Uint8Array> {
  const place = placeOf(request);
  place?.wait();
  const bytes = await readBounded(request, {
    bytesMax,
    deadlineMs: limits.bodyReadMs,
    held: consoleBodies.hold(request, context),
  });
  await place?.take();
  return bytes;
}

/** Reads the JSON of a call; `path` is its route's. */
export async function readBody(
  request: Request,
  path: string,
  context: RequestContext,
  consoleBodies: ConsoleBodies,
): Promise<unknown> {
  const most = consoleBodies.mostFor(context, request.method, path);
  const bytes = await readBytes(request, context, consoleBodies, most.bytes);
  // Some calls have no fields; their callers send nothing at all.
  if (bytes.byteLength === 0) return {};
  if (!isJson(request)) throw badBody();
  return readJson(bytes, most);
}

/**
 * What holds for every body of `/api`. The guard reads it when it knows who calls: what a stranger sends to a call that
 * is not for him, nobody reads, and a call without a guard has no body.
 */
export const bodies = ({ consoleBodies }: { consoleBodies: ConsoleBodies }) =>
  new Elysia({ name: 'bodies' })
    .onRequest(({ request }) => {
      if (new URL(request.url).pathname.startsWith('/api/') && isCompressed(request)) {
        throw fail('BODY_ENCODING');
      }
    })
    .onParse({ as: 'global' }, () => ({}))
    .onAfterResponse({ as: 'global' }, ({ request }) => consoleBodies.release(request));
