/**
 * All rows that a list has under its filters, where more are chosen than its page shows. They stay chosen as long as the page
 * does that they were chosen on: another search, other rows or one row less ends it.
 */
import { useLocation } from '@tanstack/react-router';
import type { RowData } from '@tanstack/react-table';
import { useState } from 'react';
import type { AskPage, Page } from '@/lib/list-search.ts';
import type { MatchingOffer } from './select-matching.tsx';
import type { DataTableEngine } from './use-data-table.ts';

interface MatchingOptions<Row extends RowData> {
  page: Page<Row>;
  rowId: (row: Row) => string;
  matching?: AskPage<Row> | undefined;
  matchingTotal?: number | undefined;
}

interface Matching<Row extends RowData> {
  /** Null while no more is chosen than the page shows. */
  rows: Row[] | null;
  /** The way to choose all, where the page is chosen whole and there is more. */
  offer: MatchingOffer | null;
  clear: () => void;
}

export function useMatching<Row extends RowData>(
  table: DataTableEngine<Row>,
  { page, rowId, matching: ask, matchingTotal: total = page.total }: MatchingOptions<Row>,
): Matching<Row> {
  const searchStr = useLocation({ select: (location) => location.searchStr });
  const [all, setAll] = useState<{ asked: string; rows: Row[] } | null>(null);
  const isWhole = page.items.length > 0 && table.getIsAllPageRowsSelected();
  const rows = isWhole && all?.asked === searchStr ? all.rows : null;
  // The page chosen whole again is the page, and no more.
  if (all && !rows) setAll(null);
  // Of rows that fold others away these are chosen.
  const isOffered =
    ask !== undefined && isWhole && rows === null && total > table.getSelectedRowModel().flatRows.length;
  return {
    rows,
    offer: isOffered
      ? {
          total,
          read: async (report, signal) => {
            const { readMatching } = await import('./select-matching.tsx');
            const found = await readMatching(ask, report, signal);
            // A row stands on two pages when new ones have come meanwhile.
            const once = new Map(found.map((row) => [rowId(row), row]));
            if (!signal.aborted) setAll({ asked: searchStr, rows: [...once.values()] });
          },
        }
      : null,
    clear: () => setAll(null),
  };
}
