/** How hourly figures are folded, for who folds them and for who adds up or proves what was folded. */
import { DAY_PART_SEC, HOUR_SEC, SPAN_SEC } from './time.ts';

/** The numbers under which dimensions are kept, which never change. */
export const FOLDED_DIMENSIONS = {
  model: 1,
  token: 2,
  group: 3,
  channel: 4,
  user: 5,
  code: 7,
} as const;

/** What a user asks of his own calls in any combination, under one number, which never changes either. */
export const FOLDED_MIXED = 6;

/** How many hours the rows of each kind hold. */
export const FOLDED_HOURS = { hour: 1, part: DAY_PART_SEC / HOUR_SEC, span: SPAN_SEC / HOUR_SEC };

/** The parts that stand for their hours. */
export const FOLDED_PARTS = 'select part from usage_parts where part not in (select part from usage_late)';
