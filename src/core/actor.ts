/** Who asks for something, as far as rules and records below the calls must know it. */

/** By what a user came in. */
export interface WayIn {
  id: number;
  /** Null for callers with an access token. */
  sessionId: string | null;
  /** Hash of that token; neither in a session nor where an application calls. */
  accessToken?: string | undefined;
}

/** Who acts on what is not his alone, and from where: for the record of what administrators do. */
export interface Actor {
  id: number;
  /** With which he was let in. */
  role: number;
  ip: string;
  /** Null where what he asked for goes on when he has left. */
  wayIn: WayIn | null;
}

/**
 * Asks once more whether he who calls still may, for what goes on for long; cheap, because who he is is kept for seconds.
 * Rejects with the refusal.
 */
export type Still = () => Promise<unknown>;

/** Who does something to one row after the other. */
export interface LastingActor extends Actor {
  still: Still;
}

/** Who changes something of his own account, for the question whether it is he. */
export interface Owner extends WayIn {
  ip: string;
}
