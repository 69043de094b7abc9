/** What a chart draws of usage: its lines, their colours, and where they lead. */
import { formatAmount, formatNumber, formatSeconds, type MoneyRules } from '@core/money.ts';
import { type Dimension, type Metric, measured } from '@modules/usage/facts.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { Usage } from './load.ts';

/** A line of the chart. */
export interface Line {
  key: string;
  label: string;
  /** A CSS colour. */
  color: string;
  /** Null where nothing is known. */
  points: readonly (number | null)[];
  total: number | null;
}

/** As many colours as can be told apart under every common colour vision. */
const COLOURS = 5;
const OTHERS = 'others';
const OTHERS_COLOUR = 'var(--series-other)';

/** The same on every visit and in every browser. */
const hashOf = (text: string): number =>
  [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 65_521, 7);

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * A colour for each: the one that it has in a picture beside this one, else its own, or the next one when one of the
 * others has it.
 */
export function coloursOf(keys: readonly string[], beside = NONE): Map<string, string> {
  const shown = keys.slice(0, COLOURS);
  const colours = new Map(
    shown.flatMap((key): [string, string][] => {
      const colour = beside.get(key);
      return colour === undefined ? [] : [[key, colour]];
    }),
  );
  const taken = new Set(colours.values());
  const free = Array.from({ length: COLOURS }, (_, n) => n).filter(
    (n) => !taken.has(`var(--series-${n + 1})`),
  );
  for (const key of shown.filter((key) => !colours.has(key)).sort()) {
    const wanted = hashOf(key) % COLOURS;
    const at = Math.max(
      free.findIndex((one) => one >= wanted),
      0,
    );
    const [slot = 0] = free.splice(at, 1);
    colours.set(key, `var(--series-${slot + 1})`);
  }
  return colours;
}

/** Averages add up to nothing: they stand side by side, and have no shares. */
export const isSum = (metric: Metric): boolean => metric !== 'first';

/** What people call it; of what is gone its number. */
export const nameOf = (one: { key: string; name: string }, dimension: Dimension, t: TFunction): string => {
  if (one.name !== '') return one.name;
  if (dimension === 'token' && one.key === '0') return t('usage.noToken');
  if (dimension === 'token' && one.key === '-1') return t('usage.flood');
  // A call may be refused before its model is read.
  if (dimension === 'model') return t('usage.noModel');
  return dimension === 'group' ? t('usage.nameless') : `#${one.key}`;
};

/** The first few lines, and all others as one. */
export function linesOf(usage: Usage, t: TFunction): Line[] {
  const { series, others, dimension, metric, starts } = usage;
  const first = series.slice(0, COLOURS);
  const colours = coloursOf(first.map(({ key }) => key));
  const lines = first.map((one) => ({
    key: one.key,
    label: nameOf(one, dimension, t),
    color: colours.get(one.key) ?? OTHERS_COLOUR,
    points: one.points,
    total: measured(one, metric),
  }));
  const rest = [...series.slice(COLOURS), ...(others ? [others] : [])];
  if (rest.length === 0 || !isSum(metric)) return lines;
  const count = series.length - first.length + (others?.count ?? 0);
  return [
    ...lines,
    {
      key: OTHERS,
      label: t('usage.others', { count }),
      color: OTHERS_COLOUR,
      points: starts.map((_, n) => rest.reduce((sum, { points }) => sum + (points[n] ?? 0), 0)),
      total: rest.reduce((sum, one) => sum + (measured(one, metric) ?? 0), 0),
    },
  ];
}

/** Filters of the log that find the calls of one value; none where the log cannot tell them apart. */
export function logSearch(
  one: { key: string; name: string },
  dimension: Dimension,
): Record<string, string> | null {
  if (dimension === 'channel') return { channel: one.key };
  // Names of tokens repeat, and names of models begin alike.
  if (dimension === 'token') return Number(one.key) > 0 ? { tokenId: one.key } : null;
  if (one.name === '') return null;
  return { [dimension]: dimension === 'model' ? `"${one.name}"` : one.name };
}

/** The rows of the log that a metric counts. */
export const typeOf = (metric: Metric): '2' | '6' => (metric === 'failed' ? '6' : '2');

/** An amount of a metric as people read it. */
export function metricText(value: number | null, metric: Metric, rules: MoneyRules): string {
  if (value === null) return UNKNOWN;
  if (metric === 'first') return millisText(value, rules);
  return metric === 'quota' ? formatAmount(value, rules).text : formatNumber(value);
}

/** Nobody knows: a zero would be a number. */
export const UNKNOWN = '—';

/** Of milliseconds, in the reader's language. */
export const millisText = (ms: number, { locale }: Pick<MoneyRules, 'locale'>): string =>
  formatSeconds(ms / 1_000, locale);

const SHORT = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Lines are at round amounts, but for what whole units add to them. */
const AXIS_DIGITS = 2;

/** On an axis, where there is little room. */
export function shortText(value: number, metric: Metric, rules: MoneyRules): string {
  if (metric === 'first') return millisText(value, rules);
  if (metric === 'quota' && rules.inCurrency) {
    return formatAmount(value, rules, AXIS_DIGITS).text.replace(/\.00$/, '');
  }
  const [size, letter] = SHORT.find(([least]) => value >= least) ?? [1, ''];
  return `${Math.round((value / size) * 10) / 10}${letter}`;
}

const AXIS_LINES = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/** Where an axis up to `most` has its lines: at round amounts of what it shows. */
export function axisTicks(
  most: number,
  metric: Metric,
  { inCurrency, quotaPerUnit, price, locale }: MoneyRules,
): number[] {
  const isMoney = metric === 'quota' && inCurrency;
  const unit = isMoney ? quotaPerUnit / (locale === 'zh' ? price : 1) : 1;
  // Between lines of a cent and more there is at least one; of what is less, each line is below it.
  const finest = isMoney && (most === 0 || most >= unit / 250) ? 0.01 : 1 / unit;
  const least = most / unit / AXIS_LINES;
  const size = 10 ** Math.floor(Math.log10(least > 0 ? least : 1));
  const isRound = (step: number) => step >= Math.max(least, finest) && (isMoney || Number.isInteger(step));
  const step = ROUND.map((one) => one * size).find(isRound) ?? finest;
  // Up to the next whole unit: what is shown is cut off, and would read a cent less.
  return Array.from({ length: AXIS_LINES + 1 }, (_, n) =>
    Math.ceil(Number((n * step * unit).toPrecision(12))),
  );
}
