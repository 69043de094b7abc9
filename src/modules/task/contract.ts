/** What the task calls take and answer. */
import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { askedText, timeQuery } from '../../core/wire/query.ts';
import { askedWhole } from '../../core/wire/whole.ts';
import { ALL_TASK_ORDERS, TASK_ORDERS } from './facts.ts';

/** Newest first without one; an order is one of the newest tasks, as many as there are pages for. */
const sort = askedOrder(TASK_ORDERS);
const ofAll = {
  channel_id: askedWhole('bigint'),
  username: askedText,
  sort: askedOrder(ALL_TASK_ORDERS),
};

/** Unix seconds; a task is of the time at which it was submitted. */
export const ownQuery = pagingQuery.extend({
  ...timeQuery.shape,
  task_id: askedText,
  platform: askedText,
  action: askedText,
  status: askedText,
  /** `brief=true`: without what came out, which may be long. */
  brief: z.string().optional(),
  sort,
});
export const allQuery = ownQuery.extend(ofAll);

/** Which of a task's files: of a song its `audio`, and which song where there are several, counted from 0. */
export const fileQuery = z.object({
  variant: z.enum(['video', 'audio']).default('video'),
  piece: askedWhole('smallint'),
});

/** A task as lists tell it. */
export interface TaskItem {
  id: number;
  task_id: string;
  platform: string;
  action: string;
  model_name: string;
  /** One of TASK_STATUSES. */
  status: string;
  /** `45%` */
  progress: string;
  /** In the reader's language, or the upstream's words. */
  fail_reason: string;
  /** Unix seconds; 0 for what has not happened. */
  submit_time: number;
  start_time: number;
  finish_time: number;
  created_at: number;
  updated_at: number;
  /** What it cost when it was submitted, and what of that was given back. */
  quota: number;
  refunded: number;
  /** The log has its charge under this id. */
  request_id: string;
  user_id: number;
  username: string;
  /** 0 to whom channels do not concern. */
  channel_id: number;
  properties: JsonObject;
  /** What came out, in the upstream's words; null for nothing. */
  data: unknown;
  /** Unix seconds after which a film's upstream keeps it no longer; 0 where that is not told. */
  expires_at: number;
}

/** Ends of a time as drawing's pages have always asked for it: unix milliseconds, or seconds, which are far smaller. */
export const ownDrawingQuery = pagingQuery.extend({
  ...timeQuery.shape,
  mj_id: askedText,
  action: askedText,
  status: askedText,
  sort,
});
export const allDrawingQuery = ownDrawingQuery.extend(ofAll);

/** A drawing as lists tell it. */
export interface DrawingItem {
  id: number;
  mj_id: string;
  /** 1 submitted, 21 exists or waits for a window, 22 queued; 0 while nobody has taken it. */
  code: number;
  action: string;
  /** One of TASK_STATUSES. */
  status: string;
  /** `45%` */
  progress: string;
  fail_reason: string;
  prompt: string;
  prompt_en: string;
  description: string;
  state: string;
  /** Empty while there is none. */
  image_url: string;
  /** Of films: the first, empty where there is none, and a JSON text of all of them. */
  video_url: string;
  video_urls: string;
  /** Unix milliseconds; 0 for what has not happened. */
  submit_time: number;
  start_time: number;
  finish_time: number;
  /** Unix seconds. */
  created_at: number;
  /** JSON texts. */
  buttons: string;
  properties: string;
  quota: number;
  refunded: number;
  request_id: string;
  user_id: number;
  username: string;
  /** 0 to whom channels do not concern. */
  channel_id: number;
}

export interface DrawingPage {
  items: DrawingItem[];
  page: number;
  page_size: number;
  total: number;
  total_is_capped: boolean;
}

export interface TaskPage {
  items: TaskItem[];
  page: number;
  page_size: number;
  total: number;
  total_is_capped: boolean;
}
