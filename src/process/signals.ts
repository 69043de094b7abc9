/**
 * The stop from outside. The first signal begins a graceful stop; one more than a second later ends the process at
 * once. The second in between forgives a terminal or a supervisor that sends the same signal twice.
 */
const PATIENCE_MS = 1_000;

/** Not HUP: `nohup` has it ignored, which a handler of ours would undo. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** `stop` is called once, `quit` for every later signal that means it. */
export function onStopSignals(stop: () => void, quit: () => void): void {
  let firstAt: number | undefined;
  const take = () => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      stop();
    } else if (performance.now() - firstAt > PATIENCE_MS) {
      quit();
    }
  };
  for (const signal of SIGNALS) process.on(signal, take);
}

/** For workers: a terminal signals the whole group, but the parent decides and tells them. */
export function ignoreStopSignals(): void {
  for (const signal of SIGNALS) process.on(signal, () => undefined);
}

/** Ends the process once `stop` has: with the code of the first call, or 1 when the stop failed. */
export function exitAfter(stop: () => Promise<unknown>): (code: number) => void {
  let begun = false;
  return (code) => {
    if (begun) return;
    begun = true;
    stop().then(
      () => process.exit(code),
      () => process.exit(1),
    );
  };
}
