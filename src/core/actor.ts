/** Who asks for something, as far as rules and records below the calls must know it. */

/** Who acts on what is not his alone, and from where: for the record of what administrators do. */
export interface Actor {
  id: number;
  role: number;
  ip: string;
}

/** Who changes something of his own account, for the question whether it is he. */
export interface Owner {
  id: number;
  /** Null for callers with an access token. */
  sessionId: string | null;
  ip: string;
}
