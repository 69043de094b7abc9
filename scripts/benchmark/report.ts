/** The figures of a run in words. */
import type { Figures } from './client.ts';

export interface Measured extends Figures {
  /** Microseconds of CPU a call, or a streamed chunk, of the gateway and of Postgres. */
  gatewayUs?: number;
  postgresUs?: number;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** The median of one figure over the rounds; NaN where it was not measured. */
export const mid = (rounds: readonly Measured[] | undefined, of: keyof Measured): number =>
  median((rounds ?? []).map((round) => round[of] ?? Number.NaN));

const number = (value: number, digits: number): string =>
  Number.isNaN(value)
    ? ''
    : value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });

/** Columns padded to their widest cell, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return [line(head), ...rows.map(line)].join('\n');
}

export function plainRow(
  name: string,
  rounds: readonly Measured[],
  direct: readonly Measured[],
  raw: readonly Measured[],
): string[] {
  return [
    name,
    number(mid(rounds, 'rate'), 0),
    number(mid(rounds, 'rate') / mid(raw, 'rate'), 2),
    number(mid(rounds, 'p50'), 2),
    number(mid(rounds, 'p50') - mid(direct, 'p50'), 2),
    number(mid(rounds, 'p99'), 2),
    number(mid(rounds, 'p99') - mid(direct, 'p99'), 2),
    number(mid(rounds, 'gatewayUs'), 0),
    number(mid(rounds, 'postgresUs'), 0),
    String(rounds.reduce((sum, round) => sum + round.failed, 0)),
  ];
}

export const PLAIN_HEAD = [
  'plain calls',
  'calls/s',
  'of raw',
  'p50 ms',
  'added',
  'p99 ms',
  'added',
  'gateway µs/call',
  'Postgres µs/call',
  'failed',
];

export const streamRow = (
  name: string,
  rounds: readonly Measured[],
  direct: readonly Measured[],
): string[] => [
  name,
  number(mid(rounds, 'p50'), 0),
  number(mid(rounds, 'p99'), 0),
  number(mid(rounds, 'p99') / mid(direct, 'p99'), 3),
  number(mid(rounds, 'first50'), 1),
  number(mid(rounds, 'first99'), 1),
  number(mid(rounds, 'gatewayUs'), 1),
  String(rounds.reduce((sum, round) => sum + round.failed, 0)),
];

export const STREAM_HEAD = [
  'streams',
  'p50 ms',
  'p99 ms',
  'p99 of direct',
  'first event p50 ms',
  'p99 ms',
  'gateway µs/chunk',
  'failed',
];

/** A mark that the product has to hold, and whether it did in this run. */
export const mark = (what: string, value: number, holds: boolean, wanted: string): string =>
  `${holds ? 'held  ' : 'missed'}  ${what}: ${number(value, 3)}, wanted ${wanted}`;
