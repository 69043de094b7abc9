/**
 * Files that are the same for all who ask, from memory: the built console, the description of the calls. They cost next to
 * nothing to give, but what is not taken of them lies in the sockets and in the memory of the proxy before us, so that
 * nobody asks for more in a minute than many visitors need. Each process counts its own, at once: what waited for its
 * count would hold one of the places for answers, of which an office that opens the console needs two thousand.
 */
import { limits } from '../core/limits.ts';
import { MINUTE_SEC } from '../core/time.ts';
import type { Env } from '../env.ts';
import { requireFit, type Ways } from '../platform/limiter.ts';
import { memoryLimiter } from '../platform/memory-limiter.ts';
import { closing } from '../platform/streamed.ts';
import { connectionOf, contextOf, type PeerSource } from './context.ts';
import { type CountingDeps, waysOfGuest } from './counted-by.ts';
import type { OpenAnswers } from './open-answers.ts';

/** A blob: of bytes the runtime would keep a copy for everybody who does not read them. */
export interface SharedFile {
  body: Blob;
  headers: Record<string, string>;
}

/** Throws RATE_LIMIT for who asks for more than he can need. */
export type GiveFile = (request: Request, server: PeerSource | null, file: SharedFile) => Promise<Response>;

export interface SharedFileDeps extends CountingDeps {
  env: Env;
  openAnswers: OpenAnswers;
}

const A_MINUTE = { limit: limits.filePartsAMinute, windowSec: MINUTE_SEC };

export function giveFiles(deps: SharedFileDeps): GiveFile {
  const limiter = memoryLimiter();
  return async (request, server, { body, headers }) => {
    const context = contextOf(request, deps.env, server);
    const cost = Math.ceil(body.size / limits.filePartBytes);
    const [first, ...others] = waysOfGuest(deps, 'files', A_MINUTE, { request, context });
    const costing = (rules: Ways[number]) => rules.map((rule) => ({ ...rule, cost }));
    await requireFit(limiter, costing(first), ...others.map(costing));
    const given = { ip: context.clientIp, connection: connectionOf(request, server) };
    const isLeft = body.size > limits.proxyTakesBytes && !deps.openAnswers.mayKeep(given);
    const answer = new Response(body, { headers });
    return isLeft ? closing(answer) : answer;
  };
}
