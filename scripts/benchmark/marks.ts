/** The marks that the product has to hold, and what a run may say of them. */
import type { Measured, Series } from './figures.ts';
import { spreadOf } from './figures.ts';
import type { StreamMemory } from './memory.ts';
import { AT_32, AT_200, FEW, type Group, MANY, type Member, ONE, seriesOf } from './plan.ts';

export interface Mark {
  what: string;
  /** One of each round. */
  values: readonly number[];
  atLeast?: number;
  atMost?: number;
}

export type Verdict = 'held' | 'missed' | 'within the spread' | 'not judged';

/** So many rounds are needed before their spread says anything. */
const LEAST_ROUNDS = 3;

/** Held or missed only where the middle half of the rounds agrees. */
export function verdictOf({
  values,
  atLeast = Number.NEGATIVE_INFINITY,
  atMost = Number.POSITIVE_INFINITY,
}: Mark): Verdict {
  const { low, high } = spreadOf(values);
  if (values.length < LEAST_ROUNDS || Number.isNaN(low)) return 'not judged';
  if (low >= atLeast && high <= atMost) return 'held';
  return high < atLeast || low > atMost ? 'missed' : 'within the spread';
}

const rate = ({ rate }: Measured): number => rate;
const gateway = ({ gatewayUs }: Measured): number => gatewayUs;
/** All CPU of the product. */
const product = ({ gatewayUs, postgresUs }: Measured): number => gatewayUs + postgresUs;

const KIB = 1024;

export interface Run {
  groups: readonly Group[];
  series: Series;
  /** Milliseconds of a bare commit, of each round. */
  commitMs: readonly number[];
  memory: ReadonlyMap<Member, StreamMemory>;
}

/** Those of the parts that were measured. */
export function marksOf({ groups, series, commitMs, memory }: Run): Mark[] {
  const ratios = (name: string, one: Member, other: Member, of: (round: Measured) => number) =>
    series.ratios(seriesOf({ name }, one), seriesOf({ name }, other), of);
  const ofGroup: Record<string, () => Mark[]> = {
    [ONE]: () => [
      {
        what: 'one connection: what a call adds, in commits',
        values: addedCommits(series, commitMs),
        atMost: 1.3,
      },
    ],
    [AT_32]: () => [
      {
        what: 'billed calls of raw, 32 connections',
        values: ratios(AT_32, 'postgres', 'raw', rate),
        atLeast: 0.3,
      },
      { what: 'PGlite of raw, 32 connections', values: ratios(AT_32, 'pglite', 'raw', rate), atLeast: 0.15 },
      { what: 'one hot account of many, 32', values: ratios(AT_32, 'hot', 'postgres', rate), atLeast: 0.9 },
    ],
    [AT_200]: () => [
      {
        what: 'billed calls of raw, 200 connections',
        values: ratios(AT_200, 'postgres', 'raw', rate),
        atLeast: 0.55,
      },
      { what: 'one hot account of many, 200', values: ratios(AT_200, 'hot', 'postgres', rate), atLeast: 0.9 },
    ],
    [FEW]: () => chunks(FEW),
    [MANY]: () => [
      ...chunks(MANY),
      {
        what: 'p99 of many streams, of direct',
        values: ratios(MANY, 'postgres', 'direct', ({ p99 }) => p99),
        atMost: 1.1,
      },
      {
        what: 'p99 of their first event, of raw',
        values: ratios(MANY, 'postgres', 'raw', ({ first99 }) => first99),
        atMost: 2,
      },
    ],
  };
  const chunks = (name: string): Mark[] => [
    {
      what: `a passed-on chunk of raw, ${name}`,
      values: ratios(name, 'postgres', 'raw', gateway),
      atMost: 1.25,
    },
    {
      what: `a converted chunk of raw, ${name}`,
      values: ratios(name, 'converted', 'raw', gateway),
      atMost: 2,
    },
  ];
  const marks = groups.flatMap((group) => [
    ...(ofGroup[group.name]?.() ?? []),
    ...againstBefore(group, series),
  ]);
  const ofStreams = memory.get('postgres');
  if (ofStreams) {
    const kib = (values: readonly number[]) => values.map((bytes) => bytes / KIB);
    marks.push(
      { what: 'KiB a stream, live', values: kib(ofStreams.live), atMost: 12 },
      { what: 'KiB a stream, resident', values: kib(ofStreams.resident), atMost: 20 },
    );
  }
  return marks;
}

const addedCommits = (series: Series, commitMs: readonly number[]): number[] => {
  const direct = series.values(seriesOf({ name: ONE }, 'direct'), 'p50');
  return series
    .values(seriesOf({ name: ONE }, 'hot'), 'p50')
    .map((ms, i) => (ms - (direct[i] ?? Number.NaN)) / (commitMs[i] ?? Number.NaN));
};

/** Not slower than the commit that is compared with, nor dearer. */
function againstBefore({ name, load, members }: Group, series: Series): Mark[] {
  if (!members.includes('before')) return [];
  const today: Member = members.includes('postgres') ? 'postgres' : 'hot';
  const ratios = (of: (round: Measured) => number) =>
    series.ratios(seriesOf({ name }, today), seriesOf({ name }, 'before'), of);
  const cpu: Mark = { what: `CPU of before, ${name}`, values: ratios(product), atMost: 1.05 };
  if (load.kind === 'streams') return [cpu];
  return [{ what: `rate of before, ${name}`, values: ratios(rate), atLeast: 0.95 }, cpu];
}
