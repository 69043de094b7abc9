/** The figures that every part of the server counts alike. */
import type { Blame } from '../core/blame.ts';
import { byLabels, type Metrics } from './metrics.ts';

/** A finished request: of which part, with which status, and seconds from its arrival to the end of its answer. */
export function countRequest(metrics: Metrics, surface: string, status: number, seconds: number): void {
  const { finished, took } = requestFigures(metrics, surface, status);
  finished.add();
  took.observe(seconds);
}

const requestFigures = byLabels((metrics, surface: string, status: number) => ({
  finished: metrics.counter('tollgate_requests_total', 'Finished requests by surface and status.', {
    surface,
    status,
  }),
  took: metrics.histogram('tollgate_request_seconds', 'From a request to the end of its answer.', {
    surface,
  }),
}));

/** One try on a channel, and seconds until its answer was whole, its stream had begun, or it had failed. */
export function countAttempt(metrics: Metrics, channel: number, outcome: string, seconds: number): void {
  attemptFigures(metrics, channel, outcome).observe(seconds);
}

const attemptFigures = byLabels((metrics, channel: number, outcome: string) =>
  metrics.histogram(
    'tollgate_upstream_seconds',
    'From a request upstream to its answer or the first content.',
    { channel, outcome },
  ),
);

/** A try that came to nothing, by whose fault that is. */
export function countFailure(metrics: Metrics, channel: number, blame: Blame): void {
  metrics.count('tollgate_upstream_failures_total', 'Failed tries on channels, by who is to blame.', {
    channel,
    blame,
  });
}
