/**
 * Batches in which nothing stands out, as nearly all are: every reservation fits, and every settlement finds what the
 * process knows to be held. What each row has to become is added up here, so that Postgres only looks whether it is all
 * as it was added up for; otherwise the statement changes nothing, and the batch goes to the one that decides call by call.
 */
import { HOUR_SEC, nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { jsonTextList, numberList, storableJson, textList } from '../db/statement.ts';
import type { Hold } from './billing.ts';
import {
  flagList,
  isLate,
  plain,
  readingsOf,
  type StampedSettlement,
  send,
  statementText,
} from './statements.ts';

const RESERVE = statementText('reserve-at-once');
const SETTLE = statementText('settle-at-once');

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
  return settlement.type === 4 || !settlement.unlogged;
};

/** Whether all were charged in full. If not, nothing has changed. */
export async function settleAtOnce(db: Database, items: readonly KnownItem[]): Promise<boolean> {
  const sorted = items.toSorted((a, b) => (a.settlement.id < b.settlement.id ? -1 : 1));
  const calls = sorted.map(({ settlement }) => settlement);
  const holds = sorted.map(({ held }) => held);
  const { users, tokens, channels, hours, isExact } = added(sorted);
  if (!isExact) return false;
  const [ofUsers, ofTokens, ofChannels] = [[...users.values()], [...tokens.values()], [...channels.values()]];
  const [row] = await send<{ done: boolean }>(db, SETTLE, [
    textList(calls.map((call) => call.id)),
    numberList(holds.map((held) => held.userId)),
    numberList(holds.map((held) => held.tokenId)),
    numberList(holds.map((held) => held.amount)),
    numberList(calls.map((call) => call.charge)),
    numberList(calls.map((call) => call.at)),
    flagList(calls.map((call) => !call.unlogged)),
    numberList(calls.map((call) => call.channelId)),
    numberList(calls.map((call) => call.type)),
    textList(calls.map((call) => plain(call.username))),
    textList(calls.map((call) => plain(call.tokenName))),
    textList(calls.map((call) => plain(call.modelName))),
    textList(calls.map((call) => plain(call.groupName))),
    numberList(calls.map((call) => call.promptTokens)),
    numberList(calls.map((call) => call.completionTokens)),
    numberList(calls.map((call) => call.useTimeSec)),
    flagList(calls.map((call) => call.isStream)),
    textList(calls.map((call) => plain(call.ip))),
    textList(calls.map((call) => plain(call.content))),
    jsonTextList(calls.map((call) => storableJson(call.other))),
    numberList([...users.keys()]),
    numberList(ofUsers.map((sum) => sum.amount)),
    numberList(ofUsers.map((sum) => sum.charge)),
    numberList(ofUsers.map((sum) => sum.calls)),
    numberList([...tokens.keys()]),
    numberList(ofTokens.map((sum) => sum.amount)),
    numberList(ofTokens.map((sum) => sum.charge)),
    numberList(ofTokens.map((sum) => sum.at)),
    numberList([...channels.keys()]),
    numberList(ofChannels.map((sum) => sum.charge)),
    numberList(hours.map((sum) => hourOf(sum.first.settlement))),
    numberList(hours.map((sum) => sum.first.held.userId)),
    numberList(hours.map((sum) => sum.first.held.tokenId)),
    numberList(hours.map((sum) => sum.first.settlement.channelId)),
    textList(hours.map((sum) => plain(sum.first.settlement.modelName))),
    textList(hours.map((sum) => plain(sum.first.settlement.groupName))),
    numberList(hours.map((sum) => sum.calls)),
    numberList(hours.map((sum) => sum.promptTokens)),
    numberList(hours.map((sum) => sum.completionTokens)),
    numberList(hours.map((sum) => sum.charge)),
    numberList(hours.map((sum) => sum.cached)),
    numberList(hours.map((sum) => sum.firstMs)),
    numberList(hours.map((sum) => sum.firstCalls)),
  ]);
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
  for (const item of items) {
    const { settlement, held } = item;
    addTo(users, held.userId, item);
    if (held.tokenId !== 0) addTo(tokens, held.tokenId, item);
    if (settlement.type !== 2) continue;
    addTo(channels, settlement.channelId, item);
    addTo(hours, hourKey(item), item);
  }
  const sums = [users, tokens, channels, hours].flatMap((each) => [...each.values()]);
  // Nobody can have more than what is told exactly; if it were so, Postgres would have to add it up.
  const isExact = sums.every((sum) => Number.isSafeInteger(sum.amount) && Number.isSafeInteger(sum.charge));
  return { users, tokens, channels, hours: [...hours.values()], isExact };
}

function addTo<K>(sums: Map<K, Sum>, key: K, item: KnownItem): void {
  const { settlement, held } = item;
  const { charge, promptTokens, completionTokens, at } = settlement;
  const { amount } = held;
  const calls = settlement.type === 2 ? 1 : 0;
  const { cached, firstMs: told } = readingsOf(settlement);
  const firstMs = Math.max(told, 0);
  const firstCalls = told >= 0 ? 1 : 0;
  const sum = sums.get(key);
  if (!sum) {
    const readings = { cached, firstMs, firstCalls };
    sums.set(key, { first: item, amount, charge, calls, promptTokens, completionTokens, ...readings, at });
    return;
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
}

/** Of its row of the hourly figures. Texts stand as Postgres takes them, or two keys would be one row there. */
const hourKey = ({ settlement, held }: KnownItem): string =>
  `${hourOf(settlement)} ${held.userId} ${held.tokenId} ${settlement.channelId} ${plain(settlement.modelName)}\0${plain(settlement.groupName)}`;

const hourOf = ({ at }: StampedSettlement): number => at - (at % HOUR_SEC);
