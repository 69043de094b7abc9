/** What the calls on usage take and answer. */
import { z } from 'zod';
import { askedOrder } from '../../core/wire/order.ts';
import { askedText, timeQuery } from '../../core/wire/query.ts';
import {
  DIMENSIONS,
  type Dimension,
  METRICS,
  type Metric,
  OWN_DIMENSIONS,
  STEPS,
  type Step,
  USAGE_ORDERS,
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

/** The sheet has the rows in the order of the table. */
const order = { sort: askedOrder(USAGE_ORDERS) };
export const ownSheetQuery = ownUsageQuery.extend(order);
export const sheetQuery = usageQuery.extend(order);

export type RowsQuery = z.output<typeof rowsQuery>;
export type UsageQuery = z.output<typeof usageQuery>;
export type SheetQuery = z.output<typeof sheetQuery>;

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

/** The header with the unix second from which on rows are told, where older ones are left out as figures of a report are. */
export const ROWS_FROM = 'x-usage-from';

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

/** Milliseconds within which of so many calls a half, and 19 of 20, had their first content. */
export interface FirstSpread {
  p50: number;
  p95: number;
  calls: number;
}

export interface UsageReport {
  /**
   * Unix seconds, both inclusive: the hours around what was asked for, with steps of whole hours, where it begins or ends within
   * hours of more calls than are looked up one by one; and no earlier than the figures reach that an embedded database looks at.
   */
  from: number;
  to: number;
  /** Whether figures before `from` were asked for, and are left out. */
  is_cut: boolean;
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
  /** Of all while they are few, else of a sample of the log; null where it tells none. */
  first_spread: FirstSpread | null;
  /** All of the time of the same length before; null where nothing is known of it. */
  before: UsageSums | null;
  /** Those with most of the metric, most first. */
  series: UsageSeries[];
  /** What is left, together; null when nothing is. */
  others: (UsageSums & { count: number; points: (number | null)[] }) | null;
  /** Seconds after which a page asks again. */
  refresh_sec: number;
}
