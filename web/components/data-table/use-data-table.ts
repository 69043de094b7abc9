/**
 * The table engine, with as much of it as the console uses. It holds which rows are chosen and opened; the page is held by
 * the address, because the server pages, and how columns stand by the viewer's preferences.
 */
import {
  createColumnHelper,
  createExpandedRowModel,
  metaHelper,
  type ReactTable,
  type RowData,
  rowExpandingFeature,
  rowPaginationFeature,
  rowSelectionFeature,
  type Row as TableRow,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useEffect, useMemo } from 'react';
import type { Page } from '@/lib/list-search.ts';
import type { ShownColumn } from './column.ts';

const features = tableFeatures({
  rowPaginationFeature,
  rowSelectionFeature,
  rowExpandingFeature,
  expandedRowModel: createExpandedRowModel(),
  // Columns carry the page's own description of them; only this folder reads it.
  columnMeta: metaHelper<Omit<ShownColumn<never>, 'cell'>>(),
});

export type DataRow<Row extends RowData> = TableRow<typeof features, Row>;
export type DataTableEngine<Row extends RowData> = ReactTable<typeof features, Row>;

export interface DataTableOptions<Row extends RowData> {
  /** Those that are shown, in their order. */
  columns: readonly ShownColumn<Row>[];
  page: Page<Row>;
  rowId: (row: Row) => string;
  /** What stands under a row that folds others away. Such a row is no thing of its own: choosing it chooses them. */
  subRows?: (row: Row) => Row[] | undefined;
  /** Ids of the opened rows, where the address holds them. */
  opened?: readonly string[];
}

export function useDataTable<Row extends RowData>({
  columns,
  page,
  rowId,
  subRows,
  opened,
}: DataTableOptions<Row>): DataTableEngine<Row> {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map(({ cell, ...meta }) =>
      helper.display({
        id: meta.id,
        meta,
        cell: ({ row }) =>
          cell(row.original, { isOpen: row.getIsExpanded(), toggle: () => row.toggleExpanded() }),
      }),
    );
  }, [columns]);
  const pagination = { pageIndex: page.page - 1, pageSize: page.size };

  const table = useTable({
    features,
    columns: definitions,
    data: page.items,
    getRowId: (row) => rowId(row),
    getSubRows: subRows,
    enableRowSelection: (row) => row.subRows.length === 0,
    getRowCanExpand: () => true,
    // Rows that come back with fresh values stay open.
    autoResetExpanded: false,
    manualPagination: true,
    rowCount: page.total,
    state: {
      pagination,
      ...(opened && { expanded: Object.fromEntries(opened.map((id) => [id, true])) }),
    },
  });

  // What is chosen is chosen on this page; rows that come back with fresh values stay chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows, not new code, end a selection
  useEffect(() => {
    const { rowsById } = table.getCoreRowModel();
    table.setRowSelection((old) => Object.fromEntries(Object.entries(old).filter(([id]) => id in rowsById)));
  }, [page.items]);
  return table;
}

/** Where in the list the table is, its pages counted from 1. */
export function placeIn<Row extends RowData>(table: DataTableEngine<Row>) {
  const { pageIndex, pageSize } = table.state.pagination;
  return { page: pageIndex + 1, size: pageSize, total: table.getRowCount() };
}
