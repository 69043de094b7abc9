/** What the overview takes and answers. */
import { z } from 'zod';
import { askedText } from '../../core/wire/query.ts';
import type { StepName } from './facts.ts';

export const overviewQuery = z.object({
  /** IANA name of the zone whose days are meant; UTC without one, or for one that is not known. */
  time_zone: askedText,
});

export interface ModelShare {
  model: string;
  /** Quota units. */
  quota: number;
  calls: number;
}

/** Charged calls of a time, step by step, and those that failed. */
export interface OverviewUsage {
  /** Unix seconds, both inclusive. */
  from: number;
  to: number;
  /** Whether a longer time was asked for, and what is older is left out. */
  is_cut: boolean;
  /** Where the steps begin, unix seconds. */
  starts: number[];
  /** By step: quota units, calls. */
  quota: number[];
  calls: number[];
  /** `failed` is null where it is not known of all of the time. */
  all: { quota: number; calls: number; failed: number | null };
  /** Those with most of the spend, most first. */
  models: ModelShare[];
  /** The rest together; null when there is none. */
  others: (Omit<ModelShare, 'model'> & { count: number }) | null;
}

export interface OwnOverview {
  /** Quota units, and what calls under way hold of them besides. */
  quota: number;
  reserved: number;
  /** Null where the operator keeps the dashboard closed; `busy` where it could not be read in time. */
  usage: OverviewUsage | 'busy' | null;
  /** What there is to do first, as far as it is his to do. */
  steps: { name: StepName; done: boolean }[];
  /** The newest channel, to be tested first; null for who keeps none, and where one has answered. */
  untested: { id: number; name: string } | null;
}

/** The figures of the processes of this data folder. */
export interface QueueFigures {
  calls_open: number;
  reserve_waiting: number;
  settle_waiting: number;
  /** Settlements on disk, because the database did not take them. */
  spooled: number;
  resident_bytes: number;
}

export interface DiskFigures {
  free_bytes: number;
  total_bytes: number;
  /** So little is left that no call is taken that might have to wait on it. */
  is_low: boolean;
}
