import { useMemo, useState } from 'react';
import { useBoot } from '@/lib/page-context.ts';
import { keep } from '@/lib/storage.ts';
import { boundedViews, viewsText } from '@/lib/table-views.ts';
import type { ColumnView, TableView } from '../../boot.ts';
import type { Column, ShownColumn } from './column.ts';
import { type Arranged, arrange, viewOf, withColumn } from './table-view.ts';

export type ColumnChange = Partial<Omit<ColumnView, 'id'>>;

/** How the viewer has arranged a table, and the ways to change that, which his browser remembers. */
export interface Arrangement<Row = never> {
  columns: readonly Arranged<Column<Row>>[];
  change: (id: string, change: ColumnChange) => void;
  arrange: (view: TableView) => void;
  /** Null where it stands as it was made. */
  reset: (() => void) | null;
}

/** `name` names the table in the viewer's preferences: lower-case letters and dashes. */
export function useTableView<Row>(
  name: string,
  made: readonly Column<Row>[],
): { view: Arrangement<Row>; shown: readonly ShownColumn<Row>[] } {
  const { preferences } = useBoot();
  const [kept, setKept] = useState(preferences.tables[name]);
  const columns = useMemo(() => arrange(made, kept), [made, kept]);
  const shown = useMemo(
    () => columns.flatMap(({ column, hidden, width }) => (hidden ? [] : [{ ...column, width }])),
    [columns],
  );
  const keepView = (next: TableView | undefined) => {
    setKept(next);
    // The one that was arranged last stands last, and is forgotten last.
    const { [name]: _before, ...others } = preferences.tables;
    preferences.tables = boundedViews(next ? { ...others, [name]: next } : others);
    keep.tables(viewsText(preferences.tables));
  };
  const view = {
    columns,
    change: (id: string, change: ColumnChange) => keepView(withColumn(viewOf(columns), id, change)),
    arrange: keepView,
    reset: kept ? () => keepView(undefined) : null,
  };
  return { view, shown };
}
