import type { ReactNode } from 'react';

/** Where a column's cell stands on the phone, where a row is a card. A column without a place is not on the card. */
export type CardPlace = 'title' | 'status' | 'actions' | 'fact' | 'fact-end' | 'meta' | 'picture';

/** Whether what stands below a row is shown, and the way to show or hide it. */
export interface Opening {
  isOpen: boolean;
  toggle: () => void;
}

/** One column of a list. Pages describe their columns by these and know nothing of the table engine. */
export interface Column<Row> {
  /** Stable: names the column in the viewer's preferences. */
  id: string;
  header: string;
  cell: (row: Row, opening: Opening) => ReactNode;
  align?: 'right';
  card?: CardPlace;
  /** The name of the order that the server offers for this column: its header sorts by it. */
  sort?: string;
  /** Cannot be hidden: what a row is, and what can be done with it. */
  fixed?: boolean;
  /** Not shown until the viewer asks for it: what is shown at first must fit a desk of 1280 px in both languages. */
  extra?: boolean;
  /** The first link or button of its cell opens the row: a click on the rest of the row does the same. */
  opens?: boolean;
  /** The header is for screen readers only. */
  headless?: boolean;
  className?: string;
}

/** A column as it stands in the table. */
export interface ShownColumn<Row> extends Column<Row> {
  /** Pixels, where the viewer has said so; else as wide as it needs. */
  width?: number | undefined;
}
