/** What the choice of a channel depends on, of one call. */
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { openingOf } from '../../dialects/opening.ts';
import { isExpired, type Tier } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { affinityOf, type Choice } from './candidates.ts';
import { serves } from './served.ts';

export const choiceOf = (
  request: RelayRequest,
  caller: Caller,
  tiers: readonly Tier[],
  { breakers }: Pick<RelayDeps, 'breakers'>,
): Choice => ({
  model: request.facts.model,
  serves: (channel) => !isExpired(channel.expiresAt, nowSec()) && serves(channel, request),
  breakers,
  affinity: tiers.some(leavesChoice) ? conversationOf(request, caller) : null,
});

const leavesChoice = ({ channels: [first, ...others] }: Tier): boolean =>
  others.length > 0 || (first?.keys ?? []).length > 1;

/** Headers in which clients name a session, where its body has no word for it. */
const SESSION_HEADERS = ['session_id', 'session-id', 'x-session-id'] as const;

/** Which conversation the call belongs to, so that it goes where its prompt is cached; null for none. */
function conversationOf(request: RelayRequest, { userId }: Caller): number | null {
  const { facts, headers, body } = request;
  const name = facts.affinity || sessionIn(headers) || (mayBeCached(request) && openingOf(body));
  return name ? affinityOf(userId, name) : null;
}

/**
 * Most agents have no name for a conversation: it is known by what it begins with, from its first turn on. Not while it is
 * shorter than what is cached: such calls go by weight alone, however much they are alike.
 */
function mayBeCached({ operation, facts: { prompt } }: RelayRequest): boolean {
  if (operation !== 'chat') return false;
  const { textBytes, tools, images, files, audioSeconds } = prompt;
  const holdsMedia = images.length > 0 || files > 0 || audioSeconds > 0;
  return holdsMedia || textBytes + (tools?.bytes ?? 0) > limits.uncachedPromptBytes;
}

function sessionIn(headers: Headers): string | null {
  for (const header of SESSION_HEADERS) {
    const name = headers.get(header);
    if (name) return name;
  }
  return null;
}
