/** Who asks for something, as far as rules and records below the calls must know it. */

/** Who acts on what is not his alone, and from where: for the record of what administrators do. */
export interface Actor {
  id: number;
  role: number;
  ip: string;
}

/** By what a user came in. */
export interface WayIn {
  id: number;
  /** Null for callers with an access token. */
  sessionId: string | null;
  /** Hash of that token; neither in a session nor where an application calls. */
  accessToken?: string | undefined;
}

/** Who changes something of his own account, for the question whether it is he. */
export interface Owner extends WayIn {
  ip: string;
}
