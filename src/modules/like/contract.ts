/** What the calls on likes take and answer. */
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { askedText } from '../../core/wire/query.ts';
import { wireText } from '../../core/wire/text.ts';
import { askedWhole } from '../../core/wire/whole.ts';
import { LIKE_NOTE_MAX, LIKE_ORDERS, LIKE_TITLE_MAX, MARK } from './facts.ts';

const TASK_ID_MAX = 200;

export const likeBody = z.object({
  task_id: wireText(TASK_ID_MAX).trim().min(1),
  title: wireText(LIKE_TITLE_MAX).default(''),
  mark: z
    .number()
    .int()
    .transform((mark) => (mark === MARK.like ? MARK.like : MARK.dislike)),
  note: wireText(LIKE_NOTE_MAX).default(''),
  /** The task as JSON text. */
  task: wireText(limits.likedTaskChars).default(''),
});
export type LikeBody = z.output<typeof likeBody>;

export const listQuery = pagingQuery.extend({
  /** Anywhere in the name. */
  username: askedText,
  /** 0 for all. */
  mark: askedWhole('smallint'),
  /** Newest first without one. */
  sort: askedOrder(LIKE_ORDERS),
});
export type LikeFilter = Pick<z.output<typeof listQuery>, 'username' | 'mark' | 'sort'>;

export interface LikeItem {
  id: number;
  title: string;
  /** As it is today; empty of an account that is gone. */
  username: string;
  task_id: string;
  mark: number;
  note: string;
  /** Unix seconds. */
  created_at: number;
}

export interface LikePage {
  items: LikeItem[];
  total: number;
  page: number;
  page_size: number;
}
