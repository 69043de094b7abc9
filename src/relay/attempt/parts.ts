/** What this room keeps between calls. */
import type { MediaTurns } from './body/media-turns.ts';
import type { Dialer } from './dial.ts';

export interface AttemptParts {
  dialer: Dialer;
  /** For media that calls fetch before they go up. */
  mediaTurns: MediaTurns;
}
