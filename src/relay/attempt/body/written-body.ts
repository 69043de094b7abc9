/**
 * The text of what goes up. In the words of another wire it may be longer than what came, since a wire may say several
 * times what is said once: only so much longer, and it has its room as what came has (decision 016).
 */
import { fail } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { charsOf, weightOf } from '../../../core/json-weight.ts';
import { limits } from '../../../core/limits.ts';
import type { HeldBytes } from '../../../platform/body-budget.ts';
import type { RelayDeps } from '../../deps.ts';
import type { RelayRequest } from '../../request.ts';
import { bodyRoom } from '../../shares.ts';
import type { UpstreamBody } from './upstream-body.ts';

interface Came {
  request: Pick<RelayRequest, 'body' | 'isHeldByLength' | 'hold' | 'userId' | 'ip'>;
  /** It goes up in other words than it came in. */
  isConverted: boolean;
}

/** Throws `body_too_large` beyond the bound, and OVERLOADED where there is no room. */
export function writtenBody(
  { body, inlined }: Pick<UpstreamBody, 'body' | 'inlined'>,
  { request, isConverted }: Came,
  deps: Pick<RelayDeps, 'bodies' | 'bodiesByNetwork'>,
): string {
  if (!isConverted || !isLonger(body, limits.bodyAtOnceBytes)) return JSON.stringify(body);
  // What stands in it a thousand times is one text until it is written.
  if (isLonger(body, mostOf(request) + inlined)) throw fail('body_too_large');
  const held = roomOf(request, deps);
  held.keep(0);
  const text = JSON.stringify(body);
  held.grow(Math.max(0, Buffer.byteLength(text) - weightOf(request.body)));
  return text;
}

/** So much may go up beside what was fetched: much more than came only where so much is held. */
function mostOf({ body, isHeldByLength }: Came['request']): number {
  const came = charsOf(body);
  const most = 2 * came + limits.bodyGrowthBytes;
  return isHeldByLength ? most : Math.min(most, 4 * came + limits.unheldGrowthBytes);
}

const isLonger = (body: JsonObject, most: number): boolean => charsOf(body, most) > most;

/** One for all tries of a request: of a body that came to nothing nothing is left. */
const rooms = new WeakMap<Came['request'], HeldBytes>();

function roomOf(request: Came['request'], deps: Pick<RelayDeps, 'bodies' | 'bodiesByNetwork'>): HeldBytes {
  let held = rooms.get(request);
  if (!held) {
    held = bodyRoom(request, deps).hold();
    request.hold(held);
    rooms.set(request, held);
  }
  return held;
}
