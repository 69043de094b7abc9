/** Figures of several rounds, and what may be said of them together. */
import type { Figures } from './client.ts';
import type { CpuUs } from './linux.ts';

/** One measurement. CPU is in microseconds a call, or a streamed chunk. */
export interface Measured extends Figures {
  gatewayUs: number;
  postgresUs: number;
  mockUs: number;
  /** Of the gateway's and of Postgres', by thread and by kind of process. */
  threads: CpuUs;
  /** Of Postgres, a call: transactions that wrote, and bytes of its log. NaN on PGlite, or where others wrote. */
  transactions: number;
  walBytes: number;
  /** Calls a money statement, of both lines; NaN where the gateway does not count them. */
  reserveBatch: number;
  settleBatch: number;
}

/** A figure that is one number. */
export type Figure = { [K in keyof Measured]: Measured[K] extends number ? K : never }[keyof Measured];

/** The middle of what was measured, and between which two values the middle half of it lies. */
export interface Spread {
  low: number;
  mid: number;
  high: number;
}

/** The value at a share of the sorted list, between two of them where it falls there. */
function at(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Of what was not measured (NaN) nothing is said. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return { low: at(sorted, 0.25), mid: at(sorted, 0.5), high: at(sorted, 0.75) };
}

export const median = (values: readonly number[]): number => spreadOf(values).mid;

/** What was measured, by what it is called, round after round. */
export class Series {
  readonly #rounds = new Map<string, Measured[]>();

  add(name: string, measured: Measured): void {
    this.#rounds.set(name, [...this.rounds(name), measured]);
  }

  rounds(name: string): readonly Measured[] {
    return this.#rounds.get(name) ?? [];
  }

  values(name: string, figure: Figure): number[] {
    return this.rounds(name).map((round) => round[figure]);
  }

  median(name: string, figure: Figure): number {
    return median(this.values(name, figure));
  }

  /** One by the other, within each round: what disturbs a round disturbs both. */
  ratios(name: string, other: string, of: (round: Measured) => number): number[] {
    const others = this.rounds(other);
    return this.rounds(name).flatMap((round, i) => {
      const beside = others[i];
      return beside ? [of(round) / of(beside)] : [];
    });
  }

  get failed(): number {
    return [...this.#rounds.values()].flat().reduce((sum, { failed }) => sum + failed, 0);
  }
}
