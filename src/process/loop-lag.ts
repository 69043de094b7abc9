/** How late the event loop runs its timers: what every caller waits on top of the work for him. */
import type { Metrics } from '../platform/metrics.ts';

/** Often enough for a block of a second to be seen, and too seldom to be work. */
const EVERY_MS = 500;
/** The worst of the last ten seconds is shown, so that a scrape does not miss a short block. */
const KEPT = 20;

export function measureLoopLag(metrics: Metrics): void {
  const late: number[] = [];
  let due = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    late.push(Math.max(now - due, 0));
    if (late.length > KEPT) late.shift();
    due = now + EVERY_MS;
  }, EVERY_MS);
  timer.unref();
  metrics.gauge(
    'tollgate_event_loop_lag_seconds',
    'Worst delay of a timer in the last ten seconds.',
    () => Math.max(0, ...late) / 1000,
    'max',
  );
}
