/** The usage log: how other parts write a row that is no charged call. */
import type { Text } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { nowSec } from '../../core/time.ts';
import type { Database, Executor } from '../../db/client.ts';
import { logs } from '../../db/schema/log.ts';

/** In the place of a token, in the hourly figures of failed calls: of a flood's, which are told apart by their code alone. */
export const LUMPED = -1;

export interface LogEntry {
  type: Exclude<keyof typeof LOG_TYPE, 'consumption' | 'refused'>;
  /** Whose log it stands in. */
  user: { id: number; username: string; group: string };
  /** What it says, in both languages; the page shows the reader's. */
  text: Text;
  /** Quota units that the account gained. */
  quota?: number;
  channelId?: number;
  modelName?: string;
  /** Of a call: the token and the id that it had, and whether it asked for a stream. */
  tokenName?: string;
  requestId?: string;
  isStream?: boolean;
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
    token_name: entry.tokenName ?? '',
    request_id: entry.requestId ?? null,
    is_stream: entry.isStream ?? false,
    quota: entry.quota ?? 0,
    use_time: entry.useTimeSec ?? 0,
    ip: entry.ip ?? '',
    content: entry.text.zh,
    other: { ...entry.other, text: { ...entry.text } },
  });
}

const ERASED: Text = { zh: '（个人资料已抹除）', en: '(personal data erased)' };

/**
 * Takes out of a user's rows what says who he was: name, addresses, names of tokens, and what administrators wrote of him.
 * A long log in one statement would hold its rows, and its user's if he stood in the same transaction, for minutes: it
 * goes by slices, bears to be done again, and ends early when `goesOn` says so.
 */
export async function forgetInLog(
  db: Database,
  user: { id: number; username: string },
  goesOn: () => boolean,
): Promise<void> {
  let last = { created_at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
  while (goesOn()) {
    const [next] = await db.query<typeof last>(
      `with slice as (
         select id, created_at from logs where user_id = $1::bigint and (created_at, id) < ($2::bigint, $3::bigint)
         order by created_at desc, id desc limit ${limits.forgottenRows}
       ), forgotten as (
         update logs l set username = $4, token_name = '', ip = '',
           content = case when type = ${LOG_TYPE.management} then $5 else content end,
           other = case when type = ${LOG_TYPE.management} then other || $6::text::jsonb else other end
         from slice s where l.id = s.id and l.created_at = s.created_at
           and (l.username, l.token_name, l.ip) is distinct from ($4, '', '')
       )
       select id, created_at from slice order by created_at, id limit 1`,
      [user.id, last.created_at, last.id, user.username, ERASED.zh, JSON.stringify({ text: ERASED })],
    );
    if (!next) return;
    last = next;
  }
}

/** Goes on with what a process that died, or a fault, has left of the logs of users who were erased lately. */
export async function forgetErased(db: Database, signal: AbortSignal): Promise<void> {
  const erased = await db.query<{ id: number; username: string }>(
    'select id, username from users where erased_at >= $1::bigint',
    [nowSec() - limits.forgetAgainSec],
  );
  for (const user of erased) await forgetInLog(db, user, () => !signal.aborted);
}
