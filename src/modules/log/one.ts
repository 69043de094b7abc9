/** One row of the log, its receipt, and the proof of it. */
import { sql } from 'drizzle-orm';
import { MOVEMENT } from '../../billing/ledger.ts';
import { fail } from '../../core/errors.ts';
import { isObject, parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { type Receipt, receiptOf, type UpstreamCost, upstreamCost } from '../../core/receipt.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import { rowsOf } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { LogFilter } from './filter.ts';
import { type LogItem, type LogReader, type LogTableRow, logItem, readRows } from './list.ts';

type Reads = Pick<Deps, 'db'>;

const isNumber = (id: string): boolean => /^\d{1,15}$/.test(id);

/** A row by itself, with what of its charge was given back, quota units: a task that failed has a second row of its call. */
export interface LogRowAnswer extends LogItem {
  refunded: number;
}

/** A request has a row of its charge, and of what was given back. */
const ROWS_OF_REQUEST = 10;

/**
 * The row with this number, or of this request, of which its charge comes first; of others only to who may see all. Throws
 * NOT_FOUND, LOG_TIMEOUT.
 */
export async function readLog({ db }: Reads, reader: LogReader, id: string): Promise<LogRowAnswer> {
  const own = { anyType: true, ...(reader.scope === 'own' ? { ownerId: reader.id } : {}) };
  const page = { limit: ROWS_OF_REQUEST, offset: 0 };
  const read = (filter: LogFilter) =>
    boundedRead(db, { reader: reader.id, ms: limits.logReadMs }, (tx) =>
      readRows(tx, { ...own, ...filter }, page),
    );
  const rows = await read(isNumber(id) ? { id: Number(id) } : { requestId: id });
  const row = rows.find(isCharge) ?? rows[0];
  if (!row) throw fail('NOT_FOUND');
  const ofCall =
    isNumber(id) && isCharge(row) && row.request_id ? await read({ requestId: row.request_id }) : rows;
  const refunds = isCharge(row)
    ? ofCall.filter(({ type, quota }) => type === LOG_TYPE.system && quota > 0)
    : [];
  return { ...logItem(row, reader), refunded: refunds.reduce((sum, { quota }) => sum + quota, 0) };
}

const isCharge = ({ type }: LogTableRow): boolean => type === LOG_TYPE.consumption;

export interface ReceiptAnswer {
  receipt: Receipt;
  /** SHA-256 of the receipt's JSON, as hexadecimal digits. */
  hash: string;
  /** For administrators, where the channel's cost price was set; no part of the receipt. */
  upstream: UpstreamCost | null;
}

/** Throws NOT_FOUND, NO_RECEIPT. */
export async function readReceipt(deps: Reads, reader: LogReader, id: string): Promise<ReceiptAnswer> {
  const item = await readLog(deps, reader, id);
  const other = parseObject(item.other) ?? {};
  const receipt = receiptOf(item, other);
  if (!receipt) throw fail('NO_RECEIPT');
  const { admin_info: admin } = other;
  return {
    receipt,
    hash: hashOf(receipt),
    upstream: isObject(admin) ? upstreamCost(receipt, admin.cost_ratio) : null,
  };
}

const hashOf = (receipt: Receipt): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(receipt)).digest('hex');

export interface Recomputed {
  charged: number;
  /** What the formula gives from the row's counts and prices. */
  formula_quota: number;
  /** What the ledger has noted as not paid, for the account was empty. */
  written_off: number;
  /** The formula gives what was charged, with what was written off. */
  matches: boolean;
  hash: string;
  /** Whether the receipt that was shown is still this one; null when none was given. */
  hash_matches: boolean | null;
}

/** Works the charge out again from the row, and holds it against the ledger. Throws NOT_FOUND, NO_RECEIPT, LOG_TIMEOUT. */
export async function recompute(
  deps: Reads,
  reader: LogReader,
  { id, hash: given }: { id: string; hash?: string },
): Promise<Recomputed> {
  const { receipt, hash } = await readReceipt(deps, reader, id);
  const { quota, formula_quota, request_id } = receipt;
  const written_off = await writtenOffOf(deps, reader, request_id);
  return {
    charged: quota,
    formula_quota,
    written_off,
    matches: quota + written_off === formula_quota,
    hash,
    hash_matches: given === undefined ? null : given.toLowerCase() === hash,
  };
}

/** A charge's rows of the ledger have its request's id for their reference. */
async function writtenOffOf({ db }: Reads, reader: LogReader, requestId: string): Promise<number> {
  if (requestId === '') return 0;
  const [row] = await boundedRead(db, { reader: reader.id, ms: limits.logReadMs }, async (tx) =>
    rowsOf<{ quota: number }>(
      await tx.execute(sql`
        select note::bigint as quota from ledger where ref = ${requestId}::uuid and kind = ${MOVEMENT.writeOff}`),
    ),
  );
  return row?.quota ?? 0;
}
