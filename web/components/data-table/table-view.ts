/** How a viewer has arranged a table: the order, the widths and what he hides. */
import type { ColumnView, TableView } from '../../boot.ts';

interface Arrangeable {
  id: string;
  extra?: boolean;
  fixed?: boolean;
  headless?: boolean;
}

export type Arranged<C> = Omit<ColumnView, 'id'> & { column: C };

/** What is shown at first. Columns without a head are no matter of the viewer's. */
export const firstView = (columns: readonly Arrangeable[]): TableView =>
  columns.flatMap(({ id, extra = false, headless }) => (headless ? [] : [{ id, hidden: extra }]));

/**
 * The columns as the viewer has arranged them. One that he has not seen yet, because it is newer than what is kept, stands
 * behind the one that it was made to stand behind, and is shown or not as it was made; one that is gone is forgotten, and
 * of one that is kept twice the second time. What has no head keeps its place, and what cannot be hidden is not.
 */
export function arrange<C extends Arrangeable>(
  columns: readonly C[],
  kept: TableView | undefined,
): Arranged<C>[] {
  const inTurn = withNewer(firstView(columns), kept).values();
  return columns.flatMap((own): Arranged<C>[] => {
    if (own.headless) return [{ column: own, hidden: false }];
    const { id, hidden, ...rest } = inTurn.next().value ?? { id: own.id, hidden: false };
    const column = columns.find((one) => one.id === id);
    return column ? [{ column, ...rest, hidden: hidden && !column.fixed }] : [];
  });
}

function withNewer(first: TableView, kept: TableView = []): TableView {
  const seen = kept.filter(
    ({ id }, at) => first.some((one) => one.id === id) && kept.findIndex((one) => one.id === id) === at,
  );
  return first.reduce((view, one, at) => {
    if (view.some(({ id }) => id === one.id)) return view;
    const before = view.findIndex(({ id }) => id === first[at - 1]?.id);
    return view.toSpliced(before + 1, 0, one);
  }, seen);
}

/** The same as it is kept. */
export const viewOf = <C extends Arrangeable>(arranged: readonly Arranged<C>[]): TableView =>
  arranged.flatMap(({ column, ...rest }) => (column.headless ? [] : [{ id: column.id, ...rest }]));

/** With one of its columns changed. */
export const withColumn = (view: TableView, id: string, change: Partial<Omit<ColumnView, 'id'>>): TableView =>
  view.map((one) => (one.id === id ? { ...one, ...change } : one));

/** With one of its columns at another place; beyond the ends it stays where it is. */
export function moved(view: TableView, id: string, to: number): TableView {
  const from = view.findIndex((one) => one.id === id);
  const column = view[from];
  if (!column || to < 0 || to >= view.length) return view;
  return view.toSpliced(from, 1).toSpliced(to, 0, column);
}
