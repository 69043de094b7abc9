/** Bodies that come too slowly hold room for nothing. */
import { limits } from '../core/limits.ts';

export interface Pace {
  came(bytes: number): void;
  /** The body is read or given up. */
  end(): void;
}

/** Calls `tooSlow` when fewer bytes came since the last look than `limits.bodyBytesASecond`. */
export function watchPace(tooSlow: () => void, everyMs: number = limits.bodyPaceMs): Pace {
  const least = (limits.bodyBytesASecond * everyMs) / 1000;
  let bytes = 0;
  const timer = setInterval(() => {
    if (bytes < least) tooSlow();
    bytes = 0;
  }, everyMs);
  return {
    came: (more) => {
      bytes += more;
    },
    end: () => clearInterval(timer),
  };
}
