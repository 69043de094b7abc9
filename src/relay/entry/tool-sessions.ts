/**
 * Whose a conversation with a tool service is. A service knows a session by its id alone, and takes whoever has it for the
 * one that began it. So callers are given the id sealed, for the caller and the service that it was made for: nobody else
 * speaks in it, or ends it, and every process can open it.
 */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { SESSION } from '../../dialects/plain/mcp.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** A session as its caller names it, and as the service does. */
export interface ToolSession {
  given: string;
  own: string;
}

export interface SessionOwner extends Pick<Caller, 'identity'> {
  service: string;
}

export const ownerOf = ({ identity }: Caller, service: string): SessionOwner => ({ identity, service });

const sealedFor = ({ identity, service }: SessionOwner): string => `tool-session:${service}:${identity}`;

/** The session that a caller names, null where he names none. Throws `tool_session_gone` for one that is not his. */
export function sessionIn(
  headers: Headers,
  owner: SessionOwner,
  { secrets }: { secrets: Secrets },
): ToolSession | null {
  const given = headers.get(SESSION);
  if (!given) return null;
  const own = given.length > limits.toolSessionChars ? null : opened(given, owner, secrets);
  if (own === null) throw fail('tool_session_gone');
  return { given, own };
}

function opened(given: string, owner: SessionOwner, secrets: Secrets): string | null {
  try {
    return secrets.open(given, sealedFor(owner));
  } catch {
    // Of another caller or service, of before a change of the secret key, or made up: he begins a new one.
    return null;
  }
}

/** The id that a caller is given for a session that the service has named; the one he has, where it is that. */
export const givenFor = (
  own: string,
  session: ToolSession | null,
  owner: SessionOwner,
  { secrets }: { secrets: Secrets },
): string => (session?.own === own ? session.given : secrets.seal(own, sealedFor(owner)));
