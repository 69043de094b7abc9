import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { Json, JsonObject } from '../../core/json.ts';
import { identity, int8, json, now } from '../columns.ts';

/**
 * Work that upstreams go on with after they have taken a call (`src/core/tasks.ts`). No reference to a user: it would lock
 * his row, for which the money statements wait. Times of the task itself are unix milliseconds.
 */
export const tasks = pgTable(
  'tasks',
  {
    id: identity(),
    /** How callers call it: 128 random bits. */
    public_id: text().notNull(),
    platform: text().notNull(),
    action: text().notNull(),
    model_name: text().notNull(),
    user_id: int8().notNull(),
    token_id: int8().notNull(),
    /** The application that submitted it, itself or by a token that it made; 0 for its user himself. */
    app_id: int8().notNull().default(0),
    /** Who has it, once it was taken. */
    channel_id: int8().notNull().default(0),
    key_id: int8().notNull().default(0),
    /** Of the call that submitted it: its reservation, its charge and its refund. */
    request_id: uuid().notNull(),
    /** How its upstream calls it; empty until it was taken. */
    upstream_id: text().notNull().default(''),
    /** Of a window: the task that was said in it last, taken or not, by its public id; empty for none. */
    claimed_by: text().notNull().default(''),
    status: text().notNull().default(''),
    progress: smallint().notNull().default(0),
    /** One of TASK_FAULTS, or empty and the upstream's words beside it. */
    fail_code: text().notNull().default(''),
    fail_reason: text().notNull().default(''),
    /** What it cost when it was submitted, quota units. */
    quota: int8().notNull(),
    /** 0 none, 1 due, 2 done. */
    refund: smallint().notNull().default(0),
    /** What was given back. */
    refunded: int8().notNull().default(0),
    submit_time: int8().notNull(),
    start_time: int8().notNull().default(0),
    finish_time: int8().notNull().default(0),
    /** Unix seconds. */
    updated_at: int8().notNull().default(now),
    /** How often it was asked after, and when it is looked at next (unix seconds, by the database's clock). */
    polls: integer().notNull().default(0),
    poll_at: int8().notNull(),
    /** What was asked for, as far as lists show it. */
    input: json<JsonObject>().notNull().default({}),
    data: json<Json>(),
    /** What its call costs, as it is settled, until an upstream's taking it and the charge are one. */
    charge: json<JsonObject>(),
    /** Where its owner wants to be told of it; empty for nowhere. How often that is still to be tried, and when. */
    hook: text().notNull().default(''),
    hook_tries: smallint().notNull().default(0),
    hook_at: int8().notNull().default(0),
    /** Of a film when its owner deleted it, unix seconds; 0 for not. */
    deleted_at: int8().notNull().default(0),
  },
  (t) => [
    uniqueIndex('tasks_public').on(t.public_id),
    index('tasks_user').on(t.user_id, t.submit_time.desc(), t.id.desc()),
    index('tasks_time').on(t.submit_time.desc(), t.id.desc()),
    index('tasks_open').on(t.user_id).where(sql`${t.status} not in ('SUCCESS', 'FAILURE')`),
    index('tasks_due').on(t.poll_at).where(sql`${t.status} not in ('SUCCESS', 'FAILURE') or ${t.refund} = 1`),
    index('tasks_hooks').on(t.hook_at).where(sql`${t.hook_tries} > 0`),
    check('tasks_progress', sql`${t.progress} between 0 and 100`),
    check('tasks_quota', sql`${t.quota} between 0 and 9007199254740991`),
    check(
      'tasks_refunded',
      sql`${t.refunded} between 0 and 9007199254740991 and (${t.refunded} = 0 or ${t.refund} = 2)`,
    ),
  ],
);

/** What users of clients thought of a task of theirs: one word a task. No reference to the user, as above. */
export const taskLikes = pgTable(
  'task_likes',
  {
    id: identity(),
    user_id: int8().notNull(),
    /** As the client calls it, which need not be a task of ours. */
    task_id: text().notNull(),
    title: text().notNull(),
    /** 1 a like, 2 a dislike. */
    mark: smallint().notNull(),
    /** Why he does not like it. */
    note: text().notNull(),
    /** The task as the client tells it: JSON text. */
    task: text().notNull(),
    /** Unix seconds; of the last word on it. */
    created_at: int8().notNull().default(now),
  },
  (t) => [
    uniqueIndex('task_likes_task').on(t.user_id, t.task_id),
    index('task_likes_time').on(t.created_at.desc(), t.id.desc()),
    check('task_likes_mark', sql`${t.mark} in (1, 2)`),
  ],
);
