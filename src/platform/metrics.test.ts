import { describe, expect, it } from 'bun:test';
import { Metrics, prometheusText } from './metrics.ts';

const textOf = (...all: Metrics[]) => prometheusText(all.map((metrics) => metrics.snapshot()));

describe('the Prometheus text', () => {
  it('names kind and help once and lists each set of labels', () => {
    const metrics = new Metrics();
    metrics.count('calls_total', 'Calls.', { status: 200 });
    metrics.count('calls_total', 'Calls.', { status: 200 }, 2);
    metrics.count('calls_total', 'Calls.', { status: 503 });
    expect(textOf(metrics)).toBe(
      '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{status="200"} 3\ncalls_total{status="503"} 1\n',
    );
  });

  it('makes the buckets of a histogram cumulative', () => {
    const metrics = new Metrics();
    for (const seconds of [0.001, 0.2, 0.2, 4_000]) metrics.observe('took_seconds', 'Took.', seconds);
    const lines = textOf(metrics).split('\n');
    expect(lines).toContain('took_seconds_bucket{le="0.005"} 1');
    expect(lines).toContain('took_seconds_bucket{le="0.25"} 3');
    expect(lines).toContain('took_seconds_bucket{le="1800"} 3');
    expect(lines).toContain('took_seconds_bucket{le="+Inf"} 4');
    expect(lines).toContain('took_seconds_sum 4000.401');
    expect(lines).toContain('took_seconds_count 4');
  });

  it('reads a gauge when it is asked', () => {
    const metrics = new Metrics();
    let depth = 1;
    metrics.gauge('queue_depth', 'Waiting.', () => depth);
    depth = 7;
    expect(textOf(metrics)).toContain('\nqueue_depth 7\n');
  });

  it('escapes what a label may not hold', () => {
    const metrics = new Metrics();
    metrics.count('calls_total', 'Calls.', { model: 'a"b\\c\nd' });
    expect(textOf(metrics)).toContain('calls_total{model="a\\"b\\\\c\\nd"} 1\n');
  });

  it('adds processes up, and takes the largest where a sum means nothing', () => {
    const [one, two] = [new Metrics(), new Metrics()];
    for (const [metrics, lag] of [
      [one, 3],
      [two, 5],
    ] as const) {
      metrics.count('calls_total', 'Calls.');
      metrics.observe('took_seconds', 'Took.', 0.001);
      metrics.gauge('open', 'Open.', () => lag);
      metrics.gauge('lag', 'Lag.', () => lag, 'max');
    }
    const lines = textOf(one, two).split('\n');
    expect(lines).toContain('calls_total 2');
    expect(lines).toContain('took_seconds_count 2');
    expect(lines).toContain('open 8');
    expect(lines).toContain('lag 5');
  });
});
