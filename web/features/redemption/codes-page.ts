import type { Api, Query } from '@/lib/api.ts';

/** Asks for a page of the codes under these filters. On the wire this list counts from 0. */
export const codesPage =
  (api: Api, query: Query) =>
  ({ p, page_size }: { p: number; page_size: number }) =>
    api.get('/api/redemption/search', { query: { ...query, p: p - 1, page_size } });
