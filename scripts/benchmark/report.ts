/** The figures of a run in words. */
import { type Figure, median, type Series, spreadOf } from './figures.ts';
import { type Mark, verdictOf } from './marks.ts';
import type { StreamMemory } from './memory.ts';
import { type Group, isStreams, MEMBERS, type Member, seriesOf } from './plan.ts';
import { CHUNK_EVERY_MS, CHUNKS } from './workload.ts';

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

const spread = (values: readonly number[], digits: number): string => {
  const { low, mid, high } = spreadOf(values);
  if (Number.isNaN(mid)) return '';
  return `${number(mid, digits)} (${number(low, digits)}–${number(high, digits)})`;
};

interface Column {
  head: string;
  cell(series: Series, group: Group, member: Member): string;
}

const own = (head: string, figure: Figure, digits: number): Column => ({
  head,
  cell: (series, group, member) => number(series.median(seriesOf(group, member), figure), digits),
});

/** A figure by that of another member, within each round, with its spread. */
const by = (head: string, other: Member, figure: Figure): Column => ({
  head,
  cell: (series, group, member) =>
    member === other
      ? ''
      : spread(
          series.ratios(seriesOf(group, member), seriesOf(group, other), (round) => round[figure]),
          figure === 'rate' ? 3 : 2,
        ),
});

const FAILED: Column = {
  head: 'failed',
  cell: (series, group, member) =>
    String(series.values(seriesOf(group, member), 'failed').reduce((sum, failed) => sum + failed, 0)),
};

/** CPU of each process, in microseconds a call or a chunk. */
const CPU: Column[] = [
  own('relay µs', 'gatewayUs', 1),
  own('Postgres µs', 'postgresUs', 1),
  own('mock µs', 'mockUs', 1),
  own('load µs', 'loadUs', 1),
];

const PLAIN: Column[] = [
  own('calls/s', 'rate', 0),
  by('of raw', 'raw', 'rate'),
  own('p50 ms', 'p50', 2),
  own('p99 ms', 'p99', 2),
  ...CPU,
  own('commits', 'transactions', 3),
  own('WAL bytes', 'walBytes', 0),
  own('a reserve', 'reserveBatch', 1),
  own('a settle', 'settleBatch', 1),
  FAILED,
];

const STREAMS: Column[] = [
  own('p50 ms', 'p50', 0),
  own('p99 ms', 'p99', 0),
  by('of direct', 'direct', 'p99'),
  own('first event p50 ms', 'first50', 1),
  own('p99 ms', 'first99', 1),
  by('of raw', 'raw', 'first99'),
  ...CPU,
  by('relay of raw', 'raw', 'gatewayUs'),
  FAILED,
];

/** What a group's members came to, and below it the CPU of the product's threads. */
export function groupText(group: Group, series: Series): string {
  const columns = isStreams(group) ? STREAMS : PLAIN;
  const rows = group.members.map((member) => [
    MEMBERS[member],
    ...columns.map((column) => column.cell(series, group, member)),
  ]);
  const { connections } = group.load;
  const title = isStreams(group)
    ? `${connections} streams at once, ${CHUNKS} chunks, ${CHUNK_EVERY_MS} ms apart; CPU a chunk`
    : `${connections} connections; CPU, writing transactions and bytes of WAL a call, calls a reserving and a settling statement`;
  const whole = table([group.name, ...columns.map(({ head }) => head)], rows);
  return `${title}\n${whole}\n\n${threadText(group, series)}`;
}

/** Threads below this much of a call are no reason for anything. */
const LEAST_US = 0.5;

function threadText(group: Group, series: Series): string {
  const members = group.members.filter((member) => member !== 'direct');
  const names = new Set(
    members.flatMap((member) =>
      series.rounds(seriesOf(group, member)).flatMap(({ threads }) => [...threads.keys()]),
    ),
  );
  const rows = [...names]
    .map((name) => ({
      name,
      us: members.map((member) =>
        median(series.rounds(seriesOf(group, member)).map(({ threads }) => threads.get(name) ?? Number.NaN)),
      ),
    }))
    .filter(({ us }) => us.some((one) => one >= LEAST_US))
    .sort((a, b) => Math.max(...known(b.us)) - Math.max(...known(a.us)));
  const head = ['µs by thread', ...members.map((member) => MEMBERS[member])];
  return table(
    head,
    rows.map(({ name, us }) => [name, ...us.map((one) => number(one, 1))]),
  );
}

const known = (values: readonly number[]): number[] => values.filter((value) => !Number.isNaN(value));

const KIB = 1024;

export function memoryText(memory: ReadonlyMap<Member, StreamMemory>, streams: number): string {
  const kib = (values: readonly number[]) =>
    spread(
      values.map((bytes) => bytes / KIB),
      1,
    );
  const rows = [...memory].map(([member, { live, beside, resident, coldResident }]) => [
    MEMBERS[member],
    kib(live),
    kib(beside),
    kib(resident),
    number(coldResident / KIB, 1),
  ]);
  const head = ['KiB a stream', 'live', 'of it beside objects', 'resident', 'in the first run'];
  return `memory of ${streams} streams that have said all but their end\n${table(head, rows)}`;
}

/** A mark with its spread over the rounds, and what may be said of it. */
export function markText(mark: Mark): string {
  const wanted = mark.atLeast === undefined ? `${mark.atMost} or less` : `${mark.atLeast} or more`;
  return `${verdictOf(mark).padEnd('within the spread'.length)}  ${mark.what}: ${spread(mark.values, 3)}, wanted ${wanted}`;
}

/** A mark that the product has to hold, and whether it did in this run. */
export const mark = (what: string, value: number, holds: boolean, wanted: string): string =>
  `${holds ? 'held  ' : 'missed'}  ${what}: ${number(value, 3)}, wanted ${wanted}`;
