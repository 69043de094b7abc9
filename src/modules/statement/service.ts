/** Statements of accounts: one's own, and for administrators those of the users whom they may act on. */
import { stringify } from 'csv-stringify/sync';
import { eq } from 'drizzle-orm';
import { type Reading, readingTurn } from '../../billing/begun-hours.ts';
import { MOVEMENT } from '../../billing/ledger.ts';
import { REWARD, type TransferCause, transferCauses } from '../../billing/rewards.ts';
import {
  type Book,
  DAY_REF,
  openWholeBook,
  readLines,
  readStatement,
  type StatementLine,
} from '../../billing/statement.ts';
import type { Actor } from '../../core/actor.ts';
import { fail, type Locale, type Text } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { usdText } from '../../core/money.ts';
import { canActOn } from '../../core/roles.ts';
import { knownZone } from '../../core/time-text.ts';
import { readPaging } from '../../core/wire/paging.ts';
import { readTime } from '../../core/wire/query.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { Tx } from '../../db/client.ts';
import { users } from '../../db/schema/index.ts';
import { activityNames } from '../activity/service.ts';
import type { Deps } from '../deps.ts';
import {
  cursorOf,
  type StatementFilter,
  type StatementItem,
  type StatementPage,
  type StatementQuery,
} from './contract.ts';
import { lineName } from './facts.ts';
import { lineTitle } from './words.ts';

type Reads = Pick<Deps, 'db'>;

/** Who reads a statement. */
interface Reader {
  id: number;
  /** Aborts when he wants it no more. */
  left: AbortSignal;
}

/** Whose statement it is, and who reads it. */
export interface Account {
  id: number;
  username: string;
  reader: Reader;
}

/** The account of a user whom an administrator may read. Throws NOT_FOUND, USER_LEVEL. */
export async function accountFor({ db }: Reads, actor: Actor & Reader, id: number): Promise<Account> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, id));
  if (!row) throw fail('NOT_FOUND');
  if (!canActOn(actor, row) && row.id !== actor.id) throw fail('USER_LEVEL');
  return { id, username: row.username, reader: actor };
}

/** Throws NOT_FOUND, LOG_TIMEOUT. */
export async function statementPage(
  deps: Reads,
  account: Account,
  query: StatementQuery,
): Promise<StatementPage> {
  const { pageSize } = readPaging(query);
  const question = {
    ...questionOf(account, query),
    before: query.before,
    after: query.after,
    limit: pageSize,
  };
  const found = await inTurns(deps, account, async (tx, reading) => {
    const statement = await readStatement(tx, question, reading);
    if (!statement) return null;
    const transfers = statement.lines.filter(isTransfer);
    return { ...statement, causes: await causesFrom(tx, account, transfers[0], transfers.length) };
  });
  const [newest, oldest] = [found.lines[0], found.lines.at(-1)];
  return {
    user_id: account.id,
    username: account.username,
    items: found.lines.map((line) => itemOf(account, line, found.causes)),
    activities: await activityNames(deps, activitiesOf(found.causes)),
    page_size: pageSize,
    balance: found.balance,
    time_zone: question.timeZone,
    newer: found.hasNewer && newest ? cursorOf(newest) : null,
    older: found.hasOlder && oldest ? cursorOf(oldest) : null,
  };
}

const questionOf = ({ id }: Account, filter: StatementFilter) => ({
  userId: id,
  timeZone: knownZone(filter.time_zone),
  kind: filter.kind || undefined,
  least: filter.min_amount,
  most: filter.max_amount,
  ...readTime(filter),
});

/** What transfers were earned by, by their refs. */
type Causes = ReadonlyMap<string, readonly TransferCause[]>;

const isTransfer = ({ kind }: StatementLine): boolean => kind === MOVEMENT.transfer;

/** Of so many transfers from the newest backwards. */
async function causesFrom(
  tx: Tx,
  { id }: Account,
  newest: StatementLine | undefined,
  count: number,
): Promise<Causes> {
  if (!newest) return new Map();
  const causes = await transferCauses(tx, { userId: id, newest, count, most: limits.transferCauses });
  return Map.groupBy(causes, ({ ref }) => ref);
}

/**
 * What answers null is asked again: each time it has less to read, and others have their turns between. Whoever asks once
 * more when the turns are over, or after he had left, goes on where they ended. Throws LOG_TIMEOUT.
 */
async function inTurns<T>(
  { db }: Reads,
  { reader: { id, left } }: Account,
  read: (tx: Tx, reading: Reading) => Promise<T | null>,
): Promise<T> {
  for (let turn = 0; turn < limits.statementTurns && !(turn > 0 && left.aborted); turn++) {
    const answer = await boundedRead(db, { reader: id, ms: limits.logReadMs }, (tx) =>
      read(tx, readingTurn(db)),
    );
    if (answer !== null) return answer;
  }
  throw fail('LOG_TIMEOUT');
}

const activitiesOf = (causes: Causes): number[] =>
  [...causes.values()].flat().flatMap(({ kind, causeId }) => (kind === REWARD.activity ? [causeId] : []));

/** Notes name a cause, like `redemption:7`, or are what an administrator wrote. */
const CAUSE = /^[a-z_]+:\S+$/;

function itemOf(
  { id }: Account,
  { note, ref, since: _, ...line }: StatementLine,
  causes: Causes,
): StatementItem {
  const text = note ?? '';
  const isWriteOff = line.kind === MOVEMENT.writeOff;
  const isCause = line.kind !== MOVEMENT.adminEdit && CAUSE.test(text);
  // What an account begins with is the one gift that there is, and no row but its own caused it.
  const unwritten = line.kind === MOVEMENT.gift ? `new_user:${id}` : earnedBy(causes.get(ref));
  return {
    ...line,
    ref: ref === DAY_REF ? '' : ref,
    reason: isWriteOff || isCause ? '' : text,
    reference: isCause ? text : text === '' ? unwritten : '',
    written_off: isWriteOff ? Number(text) : 0,
  };
}

/** As the reference of a transfer tells it; empty of everything else. */
function earnedBy(causes: readonly TransferCause[] = []): string {
  const names = causes.map(({ kind, causeId }) =>
    kind === REWARD.invitation ? `invitee:${causeId}` : `activity:${causeId}`,
  );
  const more = (causes[0]?.all ?? 0) - causes.length;
  return [...names, ...(more > 0 ? [`more:${more}`] : [])].join(' ');
}

interface Cells {
  item: StatementItem;
  usd(quota: number): string;
  locale: Locale;
}

interface SheetColumn {
  head: Text;
  cell(of: Cells): string | number;
}

const addedOf = ({ delta }: StatementItem): number => Math.max(delta, 0);
const spentOf = ({ delta }: StatementItem): number => Math.max(-delta, 0);

const COLUMNS: readonly SheetColumn[] = [
  {
    head: { zh: '时间', en: 'time' },
    cell: ({ item }) => new Date(item.created_at * 1000).toISOString(),
  },
  {
    // For programs, in every language; for people it stands in words at the end.
    head: { zh: '变动代码', en: 'kind' },
    cell: ({ item }) => lineName(item.kind) ?? item.kind,
  },
  { head: { zh: '增加', en: 'added' }, cell: ({ item }) => addedOf(item) },
  { head: { zh: '扣除', en: 'spent' }, cell: ({ item }) => spentOf(item) },
  { head: { zh: '变动后余额', en: 'balance' }, cell: ({ item }) => item.balance },
  { head: { zh: '增加（美元）', en: 'added_usd' }, cell: ({ item, usd }) => usd(addedOf(item)) },
  { head: { zh: '扣除（美元）', en: 'spent_usd' }, cell: ({ item, usd }) => usd(spentOf(item)) },
  { head: { zh: '变动后余额（美元）', en: 'balance_usd' }, cell: ({ item, usd }) => usd(item.balance) },
  { head: { zh: '调用次数', en: 'calls' }, cell: ({ item }) => item.day?.calls ?? '' },
  { head: { zh: '原因', en: 'reason' }, cell: ({ item }) => item.reason },
  { head: { zh: '来源', en: 'reference' }, cell: ({ item }) => item.reference },
  { head: { zh: '凭证', en: 'ref' }, cell: ({ item }) => item.ref },
  { head: { zh: '核销', en: 'written_off' }, cell: ({ item }) => item.written_off || '' },
  {
    head: { zh: '核销（美元）', en: 'written_off_usd' },
    cell: ({ item, usd }) => (item.written_off > 0 ? usd(item.written_off) : ''),
  },
  {
    head: { zh: '变动', en: 'movement' },
    cell: ({ item, locale }) => lineTitle(item.kind)?.[locale] ?? item.kind,
  },
];

/**
 * The filtered statement as CSV, page by page: each is read when the one before has been taken, and goes on where that
 * one ended. What came in and what went out have columns of their own, because a minus would make a formula of a number,
 * and formulas are marked as text. Throws NOT_FOUND, LOG_TIMEOUT.
 */
export async function* exportStatement(
  deps: Reads & Pick<Deps, 'options'>,
  { locale, ...account }: Account & { locale: Locale },
  filter: StatementFilter,
): AsyncGenerator<string> {
  const usd = (quota: number) => usdText(quota, deps.options.get('QuotaPerUnit'));
  let isFirst = true;
  for await (const { lines, causes } of pagesOf(deps, account, filter)) {
    yield stringify(
      lines.map((line) => {
        const item = itemOf(account, line, causes);
        return COLUMNS.map(({ cell }) => cell({ item, usd, locale }));
      }),
      {
        bom: isFirst,
        header: isFirst,
        columns: COLUMNS.map(({ head }) => head[locale]),
        record_delimiter: 'windows',
        escape_formulas: true,
      },
    );
    isFirst = false;
  }
}

/** As many pages as a sheet may have. The account is read with the first, what transfers were earned by for many at once. */
async function* pagesOf(
  deps: Reads,
  account: Account,
  filter: StatementFilter,
): AsyncGenerator<{ lines: StatementLine[]; causes: Causes }> {
  const question = { ...questionOf(account, filter), limit: limits.exportPage };
  let book: Book | undefined;
  let causes: Causes = new Map();
  /** Of so many transfers that are still to come the causes are there. */
  let explained = 0;
  let before: StatementLine | undefined;
  for (let written = 0; written < limits.exportRows; written += limits.exportPage) {
    const { lines, hasOlder } = await inTurns(deps, account, async (tx, reading) => {
      book ??= (await openWholeBook(tx, question, reading)) ?? undefined;
      const page = book && (await readLines(tx, book, { ...question, before }, reading));
      if (!page) return null;
      const transfers = page.lines.filter(isTransfer);
      if (explained < transfers.length) {
        causes = await causesFrom(tx, account, transfers[0], limits.transfersExplained);
        explained = limits.transfersExplained;
      }
      explained -= transfers.length;
      return page;
    });
    yield { lines, causes };
    before = lines.at(-1);
    if (!before || !hasOlder) return;
  }
}
