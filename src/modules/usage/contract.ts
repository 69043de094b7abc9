/** What the calls on usage take and answer. */
import { z } from 'zod';
import { askedText, timeQuery } from '../../core/wire/query.ts';
import {
  DIMENSIONS,
  type Dimension,
  METRICS,
  type Metric,
  OWN_DIMENSIONS,
  STEPS,
  type Step,
} from './facts.ts';

/** An empty field asks for nothing. */
const asked = <const C extends readonly [string, ...string[]]>(choices: C) =>
  z
    .enum(choices)
    .or(z.literal('').transform(() => undefined))
    .optional();

export const ownRowsQuery = timeQuery;
export const rowsQuery = timeQuery.extend({ username: askedText });

const shape = {
  metric: asked(METRICS),
  step: asked(STEPS),
  /** IANA name of the zone whose days and weeks are meant; UTC without one, or for one that is not known. */
  time_zone: askedText,
};
export const ownUsageQuery = timeQuery.extend({ ...shape, dimension: asked(OWN_DIMENSIONS) });
export const usageQuery = timeQuery.extend({ ...shape, dimension: asked(DIMENSIONS), username: askedText });

export type RowsQuery = z.output<typeof rowsQuery>;
export type UsageQuery = z.output<typeof usageQuery>;

/** A model's calls in an hour, or in a longer step where the time is long. */
export interface UsageRow {
  id: number;
  /** 0 and '' for all users together. */
  user_id: number;
  username: string;
  model_name: string;
  /** Unix seconds at which the step begins. */
  created_at: number;
  count: number;
  /** Quota units. */
  quota: number;
  token_used: number;
}

/** Of charged calls, but for those that failed. */
export interface UsageSums {
  calls: number;
  /** Quota units. */
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Of the prompt tokens. */
  cached_tokens: number;
  /** Milliseconds to the first content, on average; null where no call tells it. */
  first_ms: number | null;
  /** Calls that came to nothing, by whole hours; null where they are no longer kept. */
  failed: number | null;
}

export interface UsageSeries extends UsageSums {
  /** The model, the group, or the id of what is meant. */
  key: string;
  /** As people call it; empty for what is gone. */
  name: string;
  /** The metric, step by step; null where nothing is known. */
  points: (number | null)[];
}

export interface UsageReport {
  /** Unix seconds, both inclusive. */
  from: number;
  to: number;
  time_zone: string;
  dimension: Dimension;
  /** By codes always of failed calls. */
  metric: Metric;
  /** May be longer than asked for. */
  step: Step;
  /** Where the steps begin, unix seconds. */
  starts: number[];
  all: UsageSums;
  /** Everything, step by step. */
  by_step: { [name in keyof UsageSums]: UsageSums[name][] };
  /** All of the time of the same length before; null where nothing is known of it. */
  before: UsageSums | null;
  /** Those with most of the metric, most first. */
  series: UsageSeries[];
  /** What is left, together; null when nothing is. */
  others: (UsageSums & { count: number; points: (number | null)[] }) | null;
  /** Seconds after which a page asks again. */
  refresh_sec: number;
}
