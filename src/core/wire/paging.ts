/** Paging as every list of `/api` takes it: `p` or `page`, `page_size` or `size`, 1 to 100. */
import { z } from 'zod';
import { fail } from '../errors.ts';
import { limits } from '../limits.ts';

const PAGE_SIZE_MAX = 100;
const whole = z.coerce.number().int();

export const pagingQuery = z.object({
  p: whole.optional().catch(undefined),
  page: whole.optional().catch(undefined),
  page_size: whole.optional().catch(undefined),
  size: whole.optional().catch(undefined),
});

export interface Paging {
  /** Echoed as the caller counts it. */
  page: number;
  pageSize: number;
  limit: number;
  offset: number;
}

/** `base`: what the list calls its first page. A list that counts from 1 takes 0 for 1 too. */
export function readPaging(query: z.output<typeof pagingQuery>, base: 0 | 1 = 1, defaultSize = 10): Paging {
  const page = Math.max(query.p ?? query.page ?? base, base);
  const pageSize = Math.min(Math.max(query.page_size ?? query.size ?? defaultSize, 1), PAGE_SIZE_MAX);
  return { page, pageSize, limit: pageSize, offset: (page - base) * pageSize };
}

/**
 * The same of a list that is read no further than `countCap` rows and narrowed by time: a page costs all the rows before
 * it. Throws PAGE_DEPTH.
 */
export function readCappedPaging(query: z.output<typeof pagingQuery>): Paging {
  const paging = readPaging(query);
  if (paging.offset >= limits.countCap) throw fail('PAGE_DEPTH', { params: { most: limits.countCap } });
  return paging;
}
