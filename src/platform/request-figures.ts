/** The figures that every part of the server counts alike. */
import type { Blame } from '../core/blame.ts';
import type { Metrics } from './metrics.ts';

/** A finished request: of which part, with which status, and seconds from its arrival to the end of its answer. */
export function countRequest(metrics: Metrics, surface: string, status: number, seconds: number): void {
  metrics.count('tollgate_requests_total', 'Finished requests by surface and status.', { surface, status });
  metrics.observe('tollgate_request_seconds', 'From a request to the end of its answer.', seconds, {
    surface,
  });
}

/** One try on a channel, and seconds until its answer was whole, its stream had begun, or it had failed. */
export function countAttempt(metrics: Metrics, channel: number, outcome: string, seconds: number): void {
  metrics.observe(
    'tollgate_upstream_seconds',
    'From a request upstream to its answer or the first content.',
    seconds,
    {
      channel,
      outcome,
    },
  );
}

/** A try that came to nothing, by whose fault that is. */
export function countFailure(metrics: Metrics, channel: number, blame: Blame): void {
  metrics.count('tollgate_upstream_failures_total', 'Failed tries on channels, by who is to blame.', {
    channel,
    blame,
  });
}
