/** Work that comes round again and again while the process lives, one round at a time. */

export interface Rounds {
  /** One round now, after the one under way; answers what it came to, 0 once stopped. */
  round(): Promise<number>;
  /** No round begins any more; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

export function startRounds(given: {
  everyMs: number;
  /** Makes a round. `signal` ends what of it is still to do. */
  make: (signal: AbortSignal) => Promise<number>;
  /** Told when a round that came by itself failed; the next one comes all the same. */
  onFault: (error: unknown) => void;
}): Rounds {
  const { everyMs, make, onFault } = given;
  const end = new AbortController();
  let running: Promise<number> = Promise.resolve(0);
  const round = (): Promise<number> => {
    running = running.catch(() => 0).then(() => (end.signal.aborted ? 0 : make(end.signal)));
    return running;
  };
  const timer = setInterval(() => {
    round().catch(onFault);
  }, everyMs);
  timer.unref();
  return {
    round,
    async stop() {
      clearInterval(timer);
      end.abort();
      await running.catch(() => undefined);
    },
  };
}
