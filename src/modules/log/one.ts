/** One row of the log, its receipt, and the proof of it. */
import { sql } from 'drizzle-orm';
import { MOVEMENT } from '../../billing/ledger.ts';
import { fail } from '../../core/errors.ts';
import { isObject, parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { type Receipt, receiptOf, type UpstreamCost, upstreamCost } from '../../core/receipt.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import { rowsOf } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type LogItem, type LogReader, logItem, readRows } from './list.ts';

type Reads = Pick<Deps, 'db'>;

const isNumber = (id: string): boolean => /^\d{1,15}$/.test(id);

/** The row with this number, or of this request; of others only to who may see all. Throws NOT_FOUND, LOG_TIMEOUT. */
export async function readLog({ db }: Reads, reader: LogReader, id: string): Promise<LogItem> {
  const filter = {
    ...(isNumber(id) ? { id: Number(id), anyType: true } : { requestId: id, anyType: true }),
    ...(reader.scope === 'own' ? { ownerId: reader.id } : {}),
  };
  const [row] = await boundedRead(db, { reader: reader.id, ms: limits.logReadMs }, (tx) =>
    readRows(tx, filter, { limit: 1, offset: 0 }),
  );
  if (!row) throw fail('NOT_FOUND');
  return logItem(row, reader);
}

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
