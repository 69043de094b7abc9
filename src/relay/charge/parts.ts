/** What this room keeps between calls. */
import type { Doubt, Suspects } from './suspects.ts';

export interface ChargeParts {
  /** Channels of which too much was told lately, by what of it was not charged. */
  suspects: Record<Doubt, Suspects>;
}
