/** What calls and tests taught about a channel: its latency, and that it or one of its keys is out of service. */

import { and, eq, not, type SQL, sql } from 'drizzle-orm';
import { COLUMN_MAX } from '../../core/bounds.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { keptReason, type Reason, readReason } from '../../core/reasons.ts';
import { nowSec } from '../../core/time.ts';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import { rowsOf } from '../../db/statement.ts';
import { redact } from '../../platform/logger.ts';
import type { Deps } from '../deps.ts';
import { rebuildAbilities } from './abilities.ts';
import { CHANNEL_STATUS, type ChannelTest } from './facts.ts';

const REASON_MAX = 500;

/** An upstream's words, without what looks like a secret, and short. */
const cleanWords = (said: string): string => redact(said).replaceAll('\0', '').slice(0, REASON_MAX);

const cleanReason = ({ said, because, ...reason }: Reason): Reason => ({
  ...reason,
  ...(said !== undefined && { said: cleanWords(said) }),
  ...(because && { because: cleanReason(because) }),
});

/** Notes the time that a good test took, and forgets one that failed before it. Routing does not depend on it, so that no process reloads. */
export async function recordTest(
  { db }: Pick<Deps, 'db'>,
  channelId: number,
  { ms, model }: Pick<TestFacts, 'ms' | 'model'>,
): Promise<void> {
  const info = JSON.stringify({ [PASSED_TEST]: { model } });
  await db.orm
    .update(channels)
    .set({
      response_time: Math.round(ms),
      test_time: nowSec(),
      other_info: sql<JsonObject>`(${channels.other_info} - ${FAILED_TEST}::text) || ${info}::text::jsonb`,
    })
    .where(eq(channels.id, channelId));
}

/** What is known of a test that told something of a channel. */
interface TestFacts {
  ms: number;
  /** With which it was tested. */
  model: string;
  /** Why it failed. */
  reason: Reason;
}

/** Where `other_info` keeps when the last test failed, why and with which model; not there when it passed. */
const FAILED_TEST = 'failed_test';
/** The same of the model of the last test that passed; its time and how long it took have columns. */
const PASSED_TEST = 'passed_test';

const failed = sql`${channels.other_info} -> ${sql.raw(`'${FAILED_TEST}'`)}`;

/** How the last test ended, as conditions. */
const TEST_IS = {
  failed: sql`${failed} is not null`,
  passed: sql`(${failed} is null and ${channels.response_time} > 0)`,
  none: sql`(${failed} is null and ${channels.response_time} = 0)`,
} satisfies Record<ChannelTest, SQL>;

export const lastTestIs = (test: ChannelTest): SQL => TEST_IS[test];

/** From the quickest by the slowest to those that failed, or the other way; those that were never tested stand last both ways. */
export const lastTestOrder = {
  groups: TEST_IS.none,
  column: sql`(case when ${failed} is not null then ${sql.raw(String(COLUMN_MAX.bigint))} else ${channels.response_time} end)`,
};

/** Notes that the last test failed, for whoever looks at the channel. */
export async function recordFailedTest(
  { db }: Pick<Deps, 'db'>,
  channelId: number,
  { reason, ms, model }: TestFacts,
): Promise<void> {
  const info = JSON.stringify({
    [FAILED_TEST]: { time: nowSec(), reason: keptReason(cleanReason(reason)), ms: Math.round(ms), model },
  });
  await db.orm
    .update(channels)
    .set({ other_info: sql<JsonObject>`${channels.other_info} || ${info}::text::jsonb` })
    .where(eq(channels.id, channelId));
}

/**
 * When the last test failed, in unix seconds, and why; null where it passed, or there was none. Of tests before they were
 * kept, the model is empty and the time that it took 0.
 */
export function failedTest({ [FAILED_TEST]: kept }: JsonObject): (TestFacts & { time: number }) | null {
  if (!isObject(kept) || typeof kept.time !== 'number') return null;
  const { time, ms, model } = kept;
  const reason = readReason(kept.reason);
  return (
    reason && {
      time,
      reason,
      ms: typeof ms === 'number' ? ms : 0,
      model: typeof model === 'string' ? model : '',
    }
  );
}

/** What is known of a channel without what a test has measured. */
export const untested = ({
  [FAILED_TEST]: _failed,
  [PASSED_TEST]: _passed,
  ...info
}: JsonObject): JsonObject => info;

const RECENT_TESTS = 3;

/** Remembers a test, null for one that failed, and answers the last three in order. */
export async function rememberTest(
  { db }: Pick<Deps, 'db'>,
  channelId: number,
  ms: number | null,
): Promise<(number | null)[]> {
  const [row] = await db.query<{ tests: string }>(
    `update channels set test_time = $3, other_info = jsonb_set(other_info, '{tests}', jsonb_path_query_array(
       coalesce(other_info->'tests', '[]') || $2::text::jsonb, '$[last - ${RECENT_TESTS - 1} to last]'))
     where id = $1 returning (other_info->'tests')::text as tests`,
    [channelId, JSON.stringify([ms === null ? null : Math.round(ms)]), nowSec()],
  );
  const tests: unknown = row ? JSON.parse(row.tests) : [];
  return Array.isArray(tests) ? tests.map((each) => (typeof each === 'number' ? each : null)) : [];
}

/** Counts a probe of a disabled channel: the next one waits longer. */
export async function noteProbe({ db }: Pick<Deps, 'db'>, channelId: number): Promise<void> {
  await db.query(
    `update channels set other_info = other_info || jsonb_build_object(
       'probes', coalesce((other_info->>'probes')::int, 0) + 1, 'probed_at', $2::bigint) where id = $1`,
    [channelId, nowSec()],
  );
}

/** What a change of state makes worthless of what is known. Rows of earlier versions have a `status_code` too. */
const FORGOTTEN = sql.raw(`'{status_reason,status_code,status_time,tests,probes,probed_at}'::text[]`);

/** Whether a channel's time is over: SQL's word for `isExpired`. */
export const hasExpired = (): SQL => sql`${channels.expired_time} between 1 and ${nowSec()}`;

/** What is written of a channel, and of its keys, that are put back in service: nothing is held against them any more. */
export const channelBack = {
  status: CHANNEL_STATUS.enabled,
  other_info: sql<JsonObject>`${channels.other_info} - ${FORGOTTEN}`,
};
/** What is written of a channel that is disabled by itself. */
export const autoDisabled = (reason: Reason) => {
  const info = JSON.stringify({
    status_reason: keptReason(cleanReason(reason)),
    status_time: nowSec(),
  });
  return {
    status: CHANNEL_STATUS.autoDisabled,
    other_info: sql<JsonObject>`(${channels.other_info} - ${FORGOTTEN}) || ${info}::text::jsonb`,
  };
};
export const keyBack = { status: CHANNEL_STATUS.enabled, reason: '', disabled_at: 0 };

/** What came of taking something out of service: `last` where a model would be left without a channel, so that it stays. */
export type Disabling = 'disabled' | 'last' | 'unchanged';

/**
 * Takes an enabled channel out of service (status 3), with the reason for the operator; never the last of a group and
 * model, unless the reason is sure.
 */
export const disableChannel = (
  { changes }: Pick<Deps, 'changes'>,
  channelId: number,
  reason: Reason,
  { isSure = false } = {},
): Promise<Disabling> =>
  changes.commit(async (tx, touch) => {
    await oneAtATime(tx);
    return setAutoDisabled(tx, touch, channelId, { reason, isSure });
  });

async function setAutoDisabled(
  tx: Tx,
  touch: Touch,
  channelId: number,
  { reason, isSure }: { reason: Reason; isSure: boolean },
): Promise<Disabling> {
  if (!isSure && (await isLast(tx, channelId))) return 'last';
  const rows = await tx
    .update(channels)
    .set(autoDisabled(reason))
    .where(and(eq(channels.id, channelId), eq(channels.status, CHANNEL_STATUS.enabled)))
    .returning({ id: channels.id });
  if (rows.length === 0) return 'unchanged';
  await rebuildAbilities(tx, [channelId]);
  touch('channels', channelId);
  return 'disabled';
}

/** Of two processes that take the last two channels out at once, the second waits here and then sees that one is left. */
const oneAtATime = (tx: Tx) => tx.execute(sql`select pg_advisory_xact_lock(hashtext('channel.take-out'))`);

async function isLast(tx: Tx, channelId: number): Promise<boolean> {
  const rows = await tx.execute(sql`
    select 1 from abilities mine
     where mine.channel_id = ${channelId} and mine.enabled and not exists (
       select 1 from abilities other
        where other.group_name = mine.group_name and other.model_name = mine.model_name
          and other.channel_id <> mine.channel_id and other.enabled)
     limit 1`);
  return rowsOf(rows).length > 0;
}

/**
 * Takes one key out of service; the channel follows with its last enabled one, unless it is the last of a group and
 * model and the reason is not sure.
 */
export async function disableKey(
  { changes }: Pick<Deps, 'changes'>,
  keyId: number,
  reason: Reason,
  { isSure = false } = {},
): Promise<{ key: Disabling; channel: Disabling }> {
  return changes.commit(async (tx, touch) => {
    await oneAtATime(tx);
    // The channel's row too, as its form locks it.
    const [held] = rowsOf<{ id: number }>(
      await tx.execute(sql`
        select c.id from channels c join channel_keys k on k.channel_id = c.id where k.id = ${keyId} for update of c`),
    );
    if (!held) return { key: 'unchanged', channel: 'unchanged' };
    const { id, channel_id, status } = channelKeys;
    const enabled = await tx
      .select({ id })
      .from(channelKeys)
      .where(and(eq(channel_id, held.id), eq(status, CHANNEL_STATUS.enabled)));
    if (!enabled.some((key) => key.id === keyId)) return { key: 'unchanged', channel: 'unchanged' };
    const channel =
      enabled.length > 1 ? 'unchanged' : await setAutoDisabled(tx, touch, held.id, { reason, isSure });
    if (channel === 'last') return { key: 'last', channel };
    // What the channel's tests told was about this key.
    await tx
      .update(channels)
      .set({ other_info: sql<JsonObject>`${channels.other_info} - 'tests'` })
      .where(eq(channels.id, held.id));
    await tx
      .update(channelKeys)
      .set({
        status: CHANNEL_STATUS.autoDisabled,
        reason: JSON.stringify(keptReason(cleanReason(reason))),
        disabled_at: nowSec(),
      })
      .where(eq(channelKeys.id, keyId));
    touch('channels', held.id);
    return { key: 'disabled', channel };
  });
}

/** Enables a channel that was disabled by itself, but not for its time; false where there is none. */
export async function setBack(tx: Tx, channelId: number): Promise<boolean> {
  const { id, status } = channels;
  const rows = await tx
    .update(channels)
    .set(channelBack)
    .where(and(eq(id, channelId), eq(status, CHANNEL_STATUS.autoDisabled), not(hasExpired())))
    .returning({ id });
  await rebuildAbilities(
    tx,
    rows.map((row) => row.id),
  );
  return rows.length > 0;
}

/** Puts an automatically disabled channel and its keys back in service; false when it was not in that state. */
export async function enableChannel({ changes }: Pick<Deps, 'changes'>, channelId: number): Promise<boolean> {
  return changes.commit(async (tx, touch) => {
    if (!(await setBack(tx, channelId))) return false;
    await tx.update(channelKeys).set(keyBack).where(eq(channelKeys.channel_id, channelId));
    touch('channels', channelId);
    return true;
  });
}
