/**
 * Batches in which nothing stands out, as nearly all are: every reservation fits, and every settlement finds what the
 * process knows to be held. What each row has to become is added up here, so that Postgres only looks whether it is all
 * as it was added up for; otherwise the statement changes nothing, and the batch goes to the one that decides call by call.
 */
import { LOG_TYPE } from '../core/log-types.ts';
import { HOUR_SEC, nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { numberList, storableJson, textList } from '../db/statement.ts';
import type { Hold } from './billing.ts';
import { bigint, boolean, int, json, overLists, smallint, text, uuid } from './columns.ts';
import {
  isLate,
  plain,
  readingsOf,
  type StampedSettlement,
  send,
  statementText,
  withParts,
} from './statements.ts';

const RESERVE = statementText('reserve-at-once');

/** Whether all were granted, none of which extends a reservation. If not, nothing has changed. */
export async function reserveAtOnce(db: Database, items: readonly Hold[], owner: string): Promise<boolean> {
  const users = new Map<number, number>();
  const tokens = new Map<number, number>();
  for (const { userId, tokenId, amount } of items) {
    users.set(userId, (users.get(userId) ?? 0) + amount);
    if (tokenId !== 0) tokens.set(tokenId, (tokens.get(tokenId) ?? 0) + amount);
  }
  const sums = [...users.values(), ...tokens.values()];
  // Nobody has so much, and only Postgres could add it up.
  if (!sums.every(Number.isSafeInteger)) return false;
  const [row] = await send<{ done: boolean }>(db, RESERVE, [
    textList(items.map((item) => item.id)),
    numberList(items.map((item) => item.userId)),
    numberList(items.map((item) => item.tokenId)),
    numberList(items.map((item) => item.amount)),
    owner,
    nowSec(),
    numberList([...users.keys()]),
    numberList([...users.values()]),
    numberList([...tokens.keys()]),
    numberList([...tokens.values()]),
  ]);
  return row?.done === true;
}

/** A settlement, and what the process knows to be held for its call; null of calls that were held by another. */
export interface SettleItem {
  settlement: StampedSettlement;
  held: Hold | null;
}
/** One that is covered, not late, and has one price and, when it is charged, a row in the log. */
export interface KnownItem {
  settlement: StampedSettlement;
  held: Hold;
}

export const isKnown = <T extends SettleItem>(item: T): item is T & KnownItem => {
  const { held, settlement } = item;
  if (!held || settlement.monthTiers || settlement.charge > held.amount || isLate(settlement)) return false;
  return settlement.type === LOG_TYPE.system || !settlement.unlogged;
};

/** What settle-at-once.sql takes of each call, and of each row that it changes once for all of them. */
const settleOver = (written: string) =>
  overLists<{ calls: KnownItem; users: Sum; tokens: Sum; channels: Sum; hours: Sum }>(written, {
    calls: {
      id: uuid(({ settlement }) => settlement.id),
      user_id: bigint(({ held }) => held.userId),
      token_id: bigint(({ held }) => held.tokenId),
      amount: bigint(({ held }) => held.amount),
      charge: bigint(({ settlement }) => settlement.charge),
      at: bigint(({ settlement }) => settlement.at),
      // Whether it has a row in the log; all that follows is for this row.
      logged: boolean(({ settlement }) => !settlement.unlogged),
      channel_id: bigint(({ settlement }) => settlement.channelId),
      type: smallint(({ settlement }) => settlement.type),
      username: text(({ settlement }) => settlement.username),
      token_name: text(({ settlement }) => settlement.tokenName),
      model: text(({ settlement }) => settlement.modelName),
      group_name: text(({ settlement }) => settlement.groupName),
      pt: bigint(({ settlement }) => settlement.promptTokens),
      ct: bigint(({ settlement }) => settlement.completionTokens),
      use_time: int(({ settlement }) => settlement.useTimeSec),
      is_stream: boolean(({ settlement }) => settlement.isStream),
      ip: text(({ settlement }) => settlement.ip),
      content: text(({ settlement }) => settlement.content),
      other: json(({ settlement }) => storableJson(settlement.other)),
    },
    users: {
      id: bigint(({ first }) => first.held.userId),
      held: bigint((sum) => sum.amount),
      charge: bigint((sum) => sum.charge),
      calls: bigint((sum) => sum.calls),
    },
    tokens: {
      id: bigint(({ first }) => first.held.tokenId),
      held: bigint((sum) => sum.amount),
      charge: bigint((sum) => sum.charge),
      at: bigint((sum) => sum.at),
    },
    channels: {
      id: bigint(({ first }) => first.settlement.channelId),
      charge: bigint((sum) => sum.charge),
    },
    hours: {
      hour: bigint(({ first }) => hourOf(first.settlement)),
      user_id: bigint(({ first }) => first.held.userId),
      token_id: bigint(({ first }) => first.held.tokenId),
      channel_id: bigint(({ first }) => first.settlement.channelId),
      model: text(({ first }) => first.settlement.modelName),
      sold: text(({ first }) => first.settlement.sold),
      group_name: text(({ first }) => first.settlement.groupName),
      calls: bigint((sum) => sum.calls),
      pt: bigint((sum) => sum.promptTokens),
      ct: bigint((sum) => sum.completionTokens),
      charge: bigint((sum) => sum.charge),
      cached: bigint((sum) => sum.cached),
      first_ms: bigint((sum) => sum.firstMs),
      first_calls: bigint((sum) => sum.firstCalls),
    },
  });
const SETTLE = statementText('settle-at-once');
const USUAL = settleOver(withParts(SETTLE, {}));
const WITH_MONTHS = settleOver(withParts(SETTLE, { month: true }));
export const SETTLE_AT_ONCE = { usual: USUAL.text, withMonths: WITH_MONTHS.text };

/** Whether all were charged in full. If not, nothing has changed. `hasMonths`: of one of their users months may be kept. */
export async function settleAtOnce(
  db: Database,
  items: readonly KnownItem[],
  hasMonths = false,
): Promise<boolean> {
  const calls = items.toSorted((a, b) => (a.settlement.id < b.settlement.id ? -1 : 1));
  const { isExact, ...sums } = added(calls);
  if (!isExact) return false;
  const { text, params } = hasMonths ? WITH_MONTHS : USUAL;
  const [row] = await send<{ done: boolean }>(db, text, params({ calls, ...sums }));
  return row?.done === true;
}

interface Sum {
  /** The call that it begins with. */
  first: KnownItem;
  /** What was held, quota units. */
  amount: number;
  /** Quota units. */
  charge: number;
  /** Charged ones. */
  calls: number;
  promptTokens: number;
  completionTokens: number;
  cached: number;
  /** Milliseconds to the first content, all together, and of how many calls. */
  firstMs: number;
  firstCalls: number;
  /** The latest end of a call, unix seconds. */
  at: number;
}

function added(items: readonly KnownItem[]) {
  const users = new Map<number, Sum>();
  const tokens = new Map<number, Sum>();
  const channels = new Map<number, Sum>();
  const hours = new Map<string, Sum>();
  // Prices changed in between, so that a name is sold as another one: settle.sql tells them apart.
  let isSoldAlike = true;
  for (const item of items) {
    const { settlement, held } = item;
    addTo(users, held.userId, item);
    if (held.tokenId !== 0) addTo(tokens, held.tokenId, item);
    if (settlement.type !== 2) continue;
    addTo(channels, settlement.channelId, item);
    const { first } = addTo(hours, hourKey(item), item);
    isSoldAlike &&= first.settlement.sold === settlement.sold;
  }
  const sums = {
    users: [...users.values()],
    tokens: [...tokens.values()],
    channels: [...channels.values()],
    hours: [...hours.values()],
  };
  // Nobody can have more than what is told exactly; if it were so, Postgres would have to add it up.
  const isExact = Object.values(sums)
    .flat()
    .every((sum) => Number.isSafeInteger(sum.amount) && Number.isSafeInteger(sum.charge));
  return { ...sums, isExact: isExact && isSoldAlike };
}

function addTo<K>(sums: Map<K, Sum>, key: K, item: KnownItem): Sum {
  const { settlement, held } = item;
  const { charge, promptTokens, completionTokens, at } = settlement;
  const { amount } = held;
  const calls = settlement.type === LOG_TYPE.consumption ? 1 : 0;
  const { cached, firstMs: told } = readingsOf(settlement);
  const firstMs = Math.max(told, 0);
  const firstCalls = told >= 0 ? 1 : 0;
  const sum = sums.get(key);
  if (!sum) {
    const readings = { cached, firstMs, firstCalls };
    const begun = { first: item, amount, charge, calls, promptTokens, completionTokens, ...readings, at };
    sums.set(key, begun);
    return begun;
  }
  sum.amount += amount;
  sum.charge += charge;
  sum.calls += calls;
  sum.promptTokens += promptTokens;
  sum.completionTokens += completionTokens;
  sum.cached += cached;
  sum.firstMs += firstMs;
  sum.firstCalls += firstCalls;
  if (at > sum.at) sum.at = at;
  return sum;
}

/** Of its row of the hourly figures. Texts stand as Postgres takes them, or two keys would be one row there. */
const hourKey = ({ settlement, held }: KnownItem): string =>
  `${hourOf(settlement)} ${held.userId} ${held.tokenId} ${settlement.channelId} ${plain(settlement.modelName)}\0${plain(settlement.groupName)}`;

const hourOf = ({ at }: StampedSettlement): number => at - (at % HOUR_SEC);
