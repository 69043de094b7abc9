import { ApiError } from '@/lib/api-error.ts';
import type { PageContext } from '@/lib/page-context.ts';
import type { LogRow } from './log-row.ts';

/** A row with what was refunded of it, by its number or its request id; null for one that is not there, or another's. */
export async function readRow(api: PageContext['api'], id: string): Promise<LogRow | null> {
  try {
    return await api.get('/api/log/:row', { params: { row: id } });
  } catch (error) {
    if (error instanceof ApiError && ['NOT_FOUND', 'BAD_PARAM'].includes(error.code)) return null;
    throw error;
  }
}
