/** What the calls on statements take and answer. */
import { z } from 'zod';
import type { LineKey, StatementLine } from '../../billing/statement.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { askedText, timeQuery } from '../../core/wire/query.ts';
import { askedWhole } from '../../core/wire/whole.ts';

const CURSOR = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_(\d{1,3})$/;

/** Names a line among all others; it is only handed back. */
export const cursorOf = ({ created_at, ref, kind }: LineKey): string => `${created_at}_${ref}_${kind}`;

/** An empty field asks for nothing. */
const cursor = z
  .string()
  .regex(CURSOR)
  .transform((text): LineKey => {
    const [, seconds = '', ref = '', kind = ''] = CURSOR.exec(text) ?? [];
    return { created_at: Number(seconds), ref, kind: Number(kind) };
  })
  .or(z.literal('').transform(() => undefined))
  .optional();

export const filterQuery = timeQuery.extend({
  /** One of LINE_KINDS; 0 for all. */
  kind: askedWhole('smallint'),
  /** Quota units, both inclusive: what a line added or took, whichever of the two. */
  min_amount: askedWhole('bigint'),
  max_amount: askedWhole('bigint'),
  /** IANA name of the zone whose days the charges are summed by; UTC without one, or for one that is not known. */
  time_zone: askedText,
});

export const pageQuery = filterQuery.extend({
  page_size: pagingQuery.shape.page_size,
  size: pagingQuery.shape.size,
  /** `older` of a page: the lines behind it. */
  before: cursor,
  /** `newer` of a page: the lines before it. */
  after: cursor,
});

export type StatementFilter = z.output<typeof filterQuery>;
export type StatementQuery = z.output<typeof pageQuery>;

/** A line: all charges of a day, or one other movement. */
export interface StatementItem extends Pick<StatementLine, 'delta' | 'balance' | 'day'> {
  /** One of LINE_KINDS. */
  kind: number;
  /** Unix seconds; of a day of charges its last second. */
  created_at: number;
  /** UUID of the ledger's row; of a write-off that of its call. Empty for a day of charges. */
  ref: string;
  /** What an administrator gave as the reason. */
  reason: string;
  /**
   * What caused it, like `redemption:7`. Of a transfer all that it was earned by, like `invitee:5 invitee:8 activity:2`,
   * at most some, and then `more:3` for the number of the others.
   */
  reference: string;
  /** Quota units that were not charged because the account had no more. */
  written_off: number;
}

export interface StatementPage {
  user_id: number;
  username: string;
  /** Newest first. */
  items: StatementItem[];
  /** What the activities are called that references name. */
  activities: { id: number; name: string }[];
  page_size: number;
  /** Quota units, calls under way included. */
  balance: number;
  time_zone: string;
  /** For `after` and `before`; null where there are no more lines. */
  newer: string | null;
  older: string | null;
}
