/** What the calls on usage and their page alike must know. */
import type { Order } from '../../core/order.ts';

/** What usage can be told apart by; by our code those calls alone that came to nothing. */
export const DIMENSIONS = ['model', 'token', 'group', 'user', 'channel', 'code'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Those of one's own account: who pays upstream, and who else calls, is the operator's. */
export const OWN_DIMENSIONS = ['model', 'token', 'group', 'code'] as const satisfies readonly Dimension[];

/**
 * What can be shown of it: quota units, charged calls, tokens in and out together and apart, prompt tokens that were cached,
 * calls that came to nothing, and milliseconds to the first content of those that tell it, on average.
 */
export const METRICS = ['quota', 'calls', 'tokens', 'input', 'output', 'cached', 'failed', 'first'] as const;
export type Metric = (typeof METRICS)[number];

/** What is summed up of calls; null where nobody knows it. */
interface Sums {
  quota: number;
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  failed: number | null;
  first_ms: number | null;
}

const MEASURES: Readonly<Record<Metric, (sums: Sums) => number | null>> = {
  quota: ({ quota }) => quota,
  calls: ({ calls }) => calls,
  tokens: (sums) => sums.prompt_tokens + sums.completion_tokens,
  input: ({ prompt_tokens }) => prompt_tokens,
  output: ({ completion_tokens }) => completion_tokens,
  cached: ({ cached_tokens }) => cached_tokens,
  failed: ({ failed }) => failed,
  first: ({ first_ms }) => first_ms,
};

/** How much of a metric it was; null where nobody knows. */
export const measured = (sums: Sums, metric: Metric): number | null => MEASURES[metric](sums);

/** How long a piece of time is, on the clock of the reader. */
export const STEPS = ['hour', 'day', 'week'] as const;
export type Step = (typeof STEPS)[number];

/** The columns that the table has, and its sheet, which order it; without one what has most of the metric comes first. */
export const USAGE_ORDERS = [
  'name',
  'calls',
  'input',
  'cached',
  'output',
  'failed',
  'first',
  'quota',
] as const;
export type UsageOrder = Order<(typeof USAGE_ORDERS)[number]>;
