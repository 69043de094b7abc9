/** The filtered log as a sheet: fetched piece by piece, so that it tells how far it is, and can be given up. */
import { formatNumber } from '@core/money.ts';
import { type Query, withQuery } from '@/lib/api.ts';
import { ApiError } from '@/lib/api-error.ts';
import { saveFile } from '@/lib/download.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { unwrap } from '@/lib/unwrap.ts';
import type { Task } from '@/lib/works.ts';

const LINE_END = 10;

interface Sheet {
  query: Query;
  /** Of the file, without its ending. */
  name: string;
  /** Whose call it is. */
  userId: number | undefined;
}

/** The task fails with an ApiError for a refusal, a broken connection, and an answer that is no sheet. */
export const exportLog =
  ({ query, name, userId }: Sheet, t: TFunction): Task =>
  async (report, signal) => {
    const response = await fetch(withQuery('/api/log/export', query), {
      headers: { 'new-api-user': String(userId ?? '') },
      cache: 'no-store',
      signal,
    }).catch(broken);
    const noSheet = () => transport(response.status, t('log.exportFailed'), response.headers);
    if (!response.headers.get('content-type')?.startsWith('text/csv')) {
      await unwrap(response);
      throw noSheet();
    }
    const total = Number(response.headers.get('x-total-rows') ?? Number.NaN);
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let lines = 0;
    // The first line is the head.
    const rows = () => Math.max(lines - 1, 0);
    for await (const piece of piecesOf(response)) {
      pieces.push(new Uint8Array(piece));
      lines += countOf(piece);
      report({ done: rows(), total: Number.isNaN(total) ? null : total });
    }
    if (!response.ok || lines === 0) throw noSheet();
    saveFile(`${name}.csv`, new Blob(pieces, { type: 'text/csv;charset=utf-8' }));
    return t('work.saved', { file: `${name}.csv`, count: rows(), rows: formatNumber(rows()) });
  };

const transport = (status: number, message = '', headers = new Headers()) =>
  new ApiError({ code: 'TRANSPORT', message, status, requestId: headers.get('x-request-id') ?? '' });

const broken = (): never => {
  throw transport(0);
};

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    if (body) yield* body;
  } catch {
    broken();
  }
}

function countOf(piece: Uint8Array): number {
  let lines = 0;
  for (const byte of piece) if (byte === LINE_END) lines++;
  return lines;
}
