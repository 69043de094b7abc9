/**
 * Under which ids requests to tool services have gone up. Callers choose theirs as they like; services keep what answers
 * them by id alone, so two that are alike in one conversation would be given each other's answers.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import type { RpcId } from '../../dialects/plain/mcp.ts';
import type { Caller } from '../../modules/token/callers.ts';

/** Whose requests: those of one caller, in one conversation with the service. */
export interface Conversation extends Pick<Caller, 'identity'> {
  /** As the service names it. */
  session: string | null;
}

export class ToolIds {
  readonly #sent = new LRUCache<string, string>({ max: limits.toolIdsKept });

  /** An id that nobody else has. */
  next(conversation: Conversation, id: RpcId | null): string {
    const sent = crypto.randomUUID();
    if (id !== null) this.#sent.set(keyOf(conversation, id), sent);
    return sent;
  }

  /** The last one of a caller's own; undefined where another process had it, or it was long ago. */
  of(conversation: Conversation, id: unknown): string | undefined {
    return this.#sent.get(keyOf(conversation, id));
  }
}

const keyOf = ({ identity, session }: Conversation, id: unknown): string =>
  JSON.stringify([identity, session, id]);
