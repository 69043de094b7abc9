/**
 * Places for those who fetch files of tasks, in fair turns by share and by range of addresses. Where one has to wait, the
 * file whose reader has stood still the longest gives way, among those that are in his way; who gets none within some
 * seconds is refused and may come again. What standing still is, the one says who passes the file on.
 */
import { limits } from '../../core/limits.ts';
import type { TaskFileReader } from '../../modules/task/service.ts';
import { createFairGate, type FairGateBounds, type Turn } from '../../platform/fair-gate.ts';
import { rangeSubject } from '../../platform/limiter.ts';

export interface FilePlace {
  leave(): void;
  /** Its reader stands still: `end` is called where others need the place. Call what it answers when he has taken a piece. */
  standsStill(end: () => void, sinceMs: number): () => void;
}

interface Still {
  turn: Turn;
  sinceMs: number;
}

const BOUNDS: FairGateBounds = {
  atOnce: limits.videosAtOnce,
  ofOneAtOnce: limits.videosOfOneAtOnce,
  waitingMax: limits.videosWaiting,
  ofOneWaitingMax: limits.videosWaiting / 2,
};

export class FilePlaces {
  readonly #gate;
  readonly #waiting = new Set<Turn>();
  /** What ends those whose readers stand still. */
  readonly #still = new Map<() => void, Still>();

  constructor(
    bounds: FairGateBounds = BOUNDS,
    readonly waitMs: number = limits.videoWaitMs,
  ) {
    this.#gate = createFairGate(bounds);
  }

  /** Throws OVERLOADED where none is free in time, RATE_LIMIT where too much of his waits. */
  async enter({ share, ip, left }: Pick<TaskFileReader, 'share' | 'ip' | 'left'>): Promise<FilePlace> {
    const turn: Turn = { who: share, network: rangeSubject(ip) };
    const entering = this.#gate.enter(turn, { until: left, withinMs: this.waitMs });
    this.#waiting.add(turn);
    this.#makeRoom();
    try {
      const leave = await entering;
      return { leave, standsStill: (end, sinceMs) => this.#note({ turn, sinceMs }, leave, end) };
    } finally {
      this.#waiting.delete(turn);
      // The place may have gone to another whose turn it was.
      this.#makeRoom();
    }
  }

  #note(still: Still, leave: () => void, end: () => void): () => void {
    const giveWay = () => {
      this.#still.delete(giveWay);
      leave();
      end();
    };
    this.#still.set(giveWay, still);
    this.#makeRoom();
    return () => void this.#still.delete(giveWay);
  }

  /** For each who waits one of those that are in his way. */
  #makeRoom(): void {
    for (const turn of this.#waiting) {
      const by = this.#gate.heldUpBy(turn);
      if (by === null) continue;
      const inTheWay = [...this.#still].filter(
        ([, { turn: other }]) =>
          by === 'all' || (by === 'one' ? other.who === turn.who : other.network === turn.network),
      );
      const [longest] = inTheWay.sort(([, a], [, b]) => a.sinceMs - b.sinceMs);
      longest?.[0]();
    }
  }
}
