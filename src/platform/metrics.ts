/** Counters, gauges and histograms, and their Prometheus text. */

export type Labels = Record<string, string | number>;

/** How one process's figure joins the others' when a parent process adds them up. */
type Across = 'sum' | 'max';

/** Seconds; from a cache hit to the longest stream. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

interface Counters {
  help: string;
  /** By their sample names with labels. */
  samples: Map<string, Counter>;
}

/** One sample of a counter, for whoever counts it with every call and need not name it anew. */
class Counter {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }
}

/** One series of a histogram, kept likewise. */
class Histogram {
  /** Observations in each bucket alone; the last one is +Inf. Made cumulative when it is printed. */
  readonly buckets: number[] = new Array(BUCKETS.length + 1).fill(0);
  sum = 0;

  constructor(readonly labels: Labels) {}

  observe(seconds: number): void {
    let at = 0;
    // Written so that what is no number falls into the last one.
    while (at < BUCKETS.length && !(seconds <= (BUCKETS[at] ?? 0))) at++;
    this.buckets[at] = (this.buckets[at] ?? 0) + 1;
    this.sum += seconds;
  }
}

const escaped = (value: string | number): string => {
  const text = String(value);
  return /[\\"\n]/.test(text) ? text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : text;
};

function sample(name: string, labels: Labels): string {
  let text = '';
  for (const key in labels) text += `${text ? ',' : '{'}${key}="${escaped(labels[key] ?? '')}"`;
  return text ? `${name}${text}}` : name;
}

/** What one process measured, as plain data that a parent process can add up. */
export type MetricsSnapshot = Record<
  string,
  { kind: 'counter' | 'gauge' | 'histogram'; help: string; across?: Across; samples: [string, number][] }
>;

export class Metrics {
  readonly #counters = new Map<string, Counters>();
  readonly #histograms = new Map<string, { help: string; series: Map<string, Histogram> }>();
  readonly #gauges = new Map<string, { help: string; read: () => number; across: Across }>();

  count(name: string, help: string, labels: Labels = {}, by = 1): void {
    this.counter(name, help, labels).add(by);
  }

  observe(name: string, help: string, seconds: number, labels: Labels = {}): void {
    this.histogram(name, help, labels).observe(seconds);
  }

  /** Shown as 0 from now on until something is added. */
  counter(name: string, help: string, labels: Labels = {}): Counter {
    let family = this.#counters.get(name);
    if (!family) {
      family = { help, samples: new Map() };
      this.#counters.set(name, family);
    }
    const key = sample(name, labels);
    let counter = family.samples.get(key);
    if (!counter) {
      counter = new Counter();
      family.samples.set(key, counter);
    }
    return counter;
  }

  histogram(name: string, help: string, labels: Labels = {}): Histogram {
    let family = this.#histograms.get(name);
    if (!family) {
      family = { help, series: new Map() };
      this.#histograms.set(name, family);
    }
    const key = sample('', labels);
    let series = family.series.get(key);
    if (!series) {
      series = new Histogram(labels);
      family.series.set(key, series);
    }
    return series;
  }

  /** A value that is read when the page is asked for; several processes' values are added, or the largest one counts. */
  gauge(name: string, help: string, read: () => number, across: Across = 'sum'): void {
    this.#gauges.set(name, { help, read, across });
  }

  snapshot(): MetricsSnapshot {
    const out: MetricsSnapshot = {};
    for (const [name, { help, samples }] of this.#counters)
      out[name] = {
        kind: 'counter',
        help,
        samples: Array.from(samples, ([key, { value }]) => [key, value]),
      };
    for (const [name, { help, series }] of this.#histograms)
      out[name] = {
        kind: 'histogram',
        help,
        samples: [...series.values()].flatMap((one) => lines(name, one)),
      };
    for (const [name, { help, read, across }] of this.#gauges)
      out[name] = { kind: 'gauge', help, across, samples: [[name, read()]] };
    return out;
  }
}

/**
 * What `make` makes for each pair of labels, made when it is first asked for and kept with the figures: whoever counts
 * with every call looks up two words instead of writing names. Labels have few values, as all labels must.
 */
export function byLabels<A extends string | number, B extends string | number, T>(
  make: (metrics: Metrics, a: A, b: B) => T,
): (metrics: Metrics, a: A, b: B) => T {
  const kept = new WeakMap<Metrics, Map<A, Map<B, T>>>();
  return (metrics, a, b) => {
    let ofMetrics = kept.get(metrics);
    if (!ofMetrics) {
      ofMetrics = new Map();
      kept.set(metrics, ofMetrics);
    }
    let ofA = ofMetrics.get(a);
    if (!ofA) {
      ofA = new Map();
      ofMetrics.set(a, ofA);
    }
    let made = ofA.get(b);
    if (made === undefined) {
      made = make(metrics, a, b);
      ofA.set(b, made);
    }
    return made;
  };
}

function lines(name: string, { labels, buckets, sum }: Histogram): [string, number][] {
  const out: [string, number][] = [];
  let below = 0;
  buckets.forEach((count, i) => {
    below += count;
    out.push([sample(`${name}_bucket`, { ...labels, le: BUCKETS[i] ?? '+Inf' }), below]);
  });
  out.push([sample(`${name}_sum`, labels), sum], [sample(`${name}_count`, labels), below]);
  return out;
}

/** Joins the snapshots of several processes and writes them as Prometheus text. */
export function prometheusText(snapshots: readonly MetricsSnapshot[]): string {
  const joined: MetricsSnapshot = {};
  for (const snapshot of snapshots) {
    for (const [name, family] of Object.entries(snapshot)) {
      const known = joined[name];
      joined[name] = known
        ? { ...known, samples: join(known.samples, family.samples, family.across) }
        : family;
    }
  }
  const text: string[] = [];
  for (const [name, { kind, help, samples }] of Object.entries(joined)) {
    text.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
    for (const [key, value] of samples) text.push(`${key} ${value}`);
  }
  return `${text.join('\n')}\n`;
}

function join(
  left: readonly [string, number][],
  right: readonly [string, number][],
  across: Across = 'sum',
): [string, number][] {
  const values = new Map(left);
  for (const [key, value] of right) {
    const other = values.get(key) ?? 0;
    values.set(key, across === 'max' ? Math.max(other, value) : other + value);
  }
  return [...values];
}
