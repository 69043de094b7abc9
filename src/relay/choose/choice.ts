/** What the choice of a channel depends on, of one call. */
import { nowSec } from '../../core/time.ts';
import { isExpired } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { affinityOf, type Choice } from './candidates.ts';
import { serves } from './served.ts';

export const choiceOf = (
  request: RelayRequest,
  caller: Caller,
  { breakers }: Pick<RelayDeps, 'breakers'>,
): Choice => ({
  model: request.facts.model,
  serves: (channel) => !isExpired(channel.expiresAt, nowSec()) && serves(channel, request),
  breakers,
  affinity: conversationOf(request, caller),
});

/** Headers in which clients name a session, where its body has no word for it. */
const SESSION_HEADERS = ['session_id', 'session-id', 'x-session-id'] as const;

/** Which conversation the call belongs to, so that it goes where its prompt is cached; null for none. */
function conversationOf({ facts, headers }: RelayRequest, { userId }: Caller): number | null {
  const name = facts.affinity ?? sessionIn(headers);
  return name ? affinityOf(userId, name) : null;
}

function sessionIn(headers: Headers): string | null {
  for (const header of SESSION_HEADERS) {
    const name = headers.get(header);
    if (name) return name;
  }
  return null;
}
