/** The usage log: its row types, and how other parts write a row that is no charged call. */
import { sql } from 'drizzle-orm';
import type { Text } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { nowSec } from '../../core/time.ts';
import type { Executor, Tx } from '../../db/client.ts';
import { logs } from '../../db/schema/log.ts';

export const LOG_TYPE = { topUp: 1, consumption: 2, management: 3, system: 4, activity: 5 } as const;

export interface LogEntry {
  type: Exclude<keyof typeof LOG_TYPE, 'consumption'>;
  /** Whose log it stands in. */
  user: { id: number; username: string; group: string };
  /** What it says, in both languages; the page shows the reader's. */
  text: Text;
  /** Quota units that the account gained. */
  quota?: number;
  channelId?: number;
  modelName?: string;
  useTimeSec?: number;
  ip?: string;
  other?: JsonObject;
}

/** Writes one row. Consumption rows are written by the settlement alone, together with the money. */
export async function writeLog(executor: Executor, entry: LogEntry): Promise<void> {
  await executor.insert(logs).values({
    created_at: nowSec(),
    user_id: entry.user.id,
    username: entry.user.username,
    group_name: entry.user.group,
    type: LOG_TYPE[entry.type],
    channel_id: entry.channelId ?? 0,
    model_name: entry.modelName ?? '',
    quota: entry.quota ?? 0,
    use_time: entry.useTimeSec ?? 0,
    ip: entry.ip ?? '',
    content: entry.text.zh,
    other: { ...entry.other, text: { ...entry.text } },
  });
}

const ERASED: Text = { zh: '（个人资料已抹除）', en: '(personal data erased)' };

/** Takes out of a user's rows what says who he was: name, addresses, names of tokens, and what administrators wrote of him. */
export async function forgetInLog(tx: Tx, user: { id: number; username: string }): Promise<void> {
  await tx.execute(sql`
    update logs set username = ${user.username}, token_name = '', ip = '',
      content = case when type = ${LOG_TYPE.management} then ${ERASED.zh} else content end,
      other = case when type = ${LOG_TYPE.management}
        then other || ${JSON.stringify({ text: ERASED })}::text::jsonb else other end
    where user_id = ${user.id}`);
}
