/** Counters, gauges and histograms, and their Prometheus text. */

export type Labels = Record<string, string | number>;

interface Family {
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** Sample name with labels → value. */
  samples: Map<string, number>;
}

/** Seconds; from a cache hit to the longest stream. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

const sample = (name: string, labels: Labels): string => {
  const parts = Object.entries(labels).map(
    ([key, value]) =>
      `${key}="${String(value).replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`,
  );
  return parts.length ? `${name}{${parts.join(',')}}` : name;
};

/** What one process measured, as plain data that a parent process can add up. */
export type MetricsSnapshot = Record<
  string,
  { kind: Family['kind']; help: string; samples: [string, number][] }
>;

export class Metrics {
  readonly #families = new Map<string, Family>();
  readonly #gauges = new Map<string, { help: string; read: () => number }>();

  count(name: string, help: string, labels: Labels = {}, by = 1): void {
    const { samples } = this.#family(name, 'counter', help);
    const key = sample(name, labels);
    samples.set(key, (samples.get(key) ?? 0) + by);
  }

  observe(name: string, help: string, seconds: number, labels: Labels = {}): void {
    const { samples } = this.#family(name, 'histogram', help);
    const add = (key: string, by: number) => samples.set(key, (samples.get(key) ?? 0) + by);
    for (const le of BUCKETS) if (seconds <= le) add(sample(`${name}_bucket`, { ...labels, le }), 1);
    add(sample(`${name}_bucket`, { ...labels, le: '+Inf' }), 1);
    add(sample(`${name}_sum`, labels), seconds);
    add(sample(`${name}_count`, labels), 1);
  }

  /** A value that is read when the page is asked for. */
  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.set(name, { help, read });
  }

  snapshot(): MetricsSnapshot {
    const out: MetricsSnapshot = {};
    for (const [name, family] of this.#families) {
      out[name] = { kind: family.kind, help: family.help, samples: [...family.samples] };
    }
    for (const [name, gauge] of this.#gauges) {
      out[name] = { kind: 'gauge', help: gauge.help, samples: [[name, gauge.read()]] };
    }
    return out;
  }

  #family(name: string, kind: Family['kind'], help: string): Family {
    let family = this.#families.get(name);
    if (!family) {
      family = { kind, help, samples: new Map() };
      this.#families.set(name, family);
    }
    return family;
  }
}

/** Adds the snapshots of several processes and writes them as Prometheus text. */
export function prometheusText(snapshots: MetricsSnapshot[]): string {
  const sum = new Map<string, Family>();
  for (const snapshot of snapshots) {
    for (const [name, { kind, help, samples }] of Object.entries(snapshot)) {
      const family = sum.get(name) ?? { kind, help, samples: new Map<string, number>() };
      for (const [key, value] of samples) family.samples.set(key, (family.samples.get(key) ?? 0) + value);
      sum.set(name, family);
    }
  }
  const lines: string[] = [];
  for (const [name, { kind, help, samples }] of sum) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
    for (const [key, value] of samples) lines.push(`${key} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}
