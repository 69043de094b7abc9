/** How a viewer has arranged his tables, as the text that a cookie takes as it is. */
import type { ColumnView, TableView } from '../boot.ts';

/** Pixels of a column. */
export const WIDTH = { min: 56, max: 800 } as const;

export const boundedWidth = (width: number): number =>
  Math.min(Math.max(Math.round(width), WIDTH.min), WIDTH.max);

/** No byte of it is escaped in a cookie: `token(name.-key.used!120)log(time)`, a minus before what is hidden. */
export const viewsText = (views: Record<string, TableView>): string =>
  Object.entries(views)
    .map(([table, view]) => `${table}(${view.map(columnText).join('.')})`)
    .join('');

const columnText = ({ id, hidden, width }: ColumnView): string =>
  `${hidden ? '-' : ''}${id}${width === undefined ? '' : `!${width}`}`;

/** As much as a cookie may hold beside the others; of more, the tables that were arranged first are forgotten. */
const TEXT_MAX = 3_000;

export function boundedViews(views: Record<string, TableView>): Record<string, TableView> {
  const entries = Object.entries(views);
  while (entries.length > 1 && viewsText(Object.fromEntries(entries)).length > TEXT_MAX) entries.shift();
  return Object.fromEntries(entries);
}

const TABLE = /^([a-z-]+)\(([^(]*)$/;
const COLUMN = /^(-?)([A-Za-z]\w*(?:-\w+)*)(?:!(\d{1,4}))?$/;

/** More than there are. */
const TABLES_MAX = 100;

/** Any text may come in a cookie, with every page that is asked for: each piece is looked at once. */
export function readViews(text: string): Record<string, TableView> {
  const pieces = text
    .slice(0, 2 * TEXT_MAX)
    .split(')')
    .slice(0, -1)
    .slice(0, TABLES_MAX);
  return Object.fromEntries(
    pieces.flatMap((piece) => {
      const [, name, columns = ''] = TABLE.exec(piece) ?? [];
      return name === undefined ? [] : [[name, readColumns(columns)] as const];
    }),
  );
}

const readColumns = (text: string): TableView =>
  text.split('.').flatMap((part) => {
    const [, minus, id, width] = COLUMN.exec(part) ?? [];
    if (id === undefined) return [];
    return [{ id, hidden: minus === '-', ...(width && { width: boundedWidth(Number(width)) }) }];
  });
