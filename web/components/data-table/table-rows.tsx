import type { RowData } from '@tanstack/react-table';
import { Fragment, type MouseEvent, type ReactNode, useMemo } from 'react';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { HeaderCell } from './header-cell.tsx';
import type { DataRow, DataTableEngine } from './use-data-table.ts';
import { widthStyle } from './width-style.ts';

interface TableRowsProps<Row extends RowData> {
  table: DataTableEngine<Row>;
  /** Whether rows can be chosen. */
  choosable: boolean;
  rowName: (row: Row) => string;
  isNew?: (row: Row) => boolean;
  detail?: (row: Row) => ReactNode;
  onWidth: (id: string, width: number | undefined) => void;
}

/** The column that says what a row is: it stays at the left edge when the others are scrolled. */
const pinnedColumn = <Row extends RowData>(table: DataTableEngine<Row>): string | undefined =>
  table
    .getAllLeafColumns()
    .map(({ columnDef }) => columnDef.meta)
    .find((meta) => meta?.fixed && !meta.headless)?.id;

export function TableHead<Row extends RowData>({ table, choosable, onWidth }: TableRowsProps<Row>) {
  const { t } = useTranslation();
  const isAll = table.getIsAllPageRowsSelected();
  const pinned = pinnedColumn(table);
  return (
    // biome-ignore lint/a11y/noRedundantRoles: the phone's layout changes display, which would drop the roles
    <thead role="rowgroup">
      {table.getHeaderGroups().map((group) => (
        // biome-ignore lint/a11y/noRedundantRoles: see above
        <tr key={group.id} role="row">
          {choosable && (
            <th scope="col" className="w-9">
              <Checkbox
                aria-label={t('table.selectPage')}
                checked={isAll}
                mixed={!isAll && table.getIsSomePageRowsSelected()}
                onChange={table.getToggleAllPageRowsSelectedHandler()}
              />
            </th>
          )}
          {group.headers.map((header) => {
            const { meta } = header.column.columnDef;
            return (
              meta && (
                <HeaderCell
                  key={header.id}
                  column={meta}
                  pinned={meta.id === pinned}
                  onWidth={(width) => onWidth(meta.id, width)}
                />
              )
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

export function TableBody<Row extends RowData>(props: TableRowsProps<Row>) {
  const { table, choosable, detail } = props;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: the phone's layout changes display, which would drop the roles
    <tbody role="rowgroup">
      {table.getRowModel().rows.map((row) => (
        <Fragment key={row.id}>
          <BodyRow {...props} row={row} />
          {detail && row.getIsExpanded() && (
            // biome-ignore lint/a11y/noRedundantRoles: see above
            <tr role="row" data-detail>
              {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
              <td role="cell" colSpan={row.getAllCells().length + (choosable ? 1 : 0)}>
                {detail(row.original)}
              </td>
            </tr>
          )}
        </Fragment>
      ))}
    </tbody>
  );
}

interface BodyRowProps<Row extends RowData> extends TableRowsProps<Row> {
  row: DataRow<Row>;
}

const CONTROLS = 'a, button, input, select, textarea, label, summary';

/**
 * A click beside a row's controls opens the row, by the control that opens it for the keyboard too. Where rows are being
 * chosen on the phone, it chooses this one. Who has marked some text wants to copy it.
 */
function openRow({
  currentTarget: row,
  target,
  metaKey,
  ctrlKey,
  shiftKey,
  altKey,
}: MouseEvent<HTMLElement>) {
  // What a row opens in another place of the document, such as its menu, tells its clicks here as well.
  if (!(target instanceof Element) || !row.contains(target) || target.closest(CONTROLS)) return;
  if (metaKey || ctrlKey || shiftKey || altKey || getSelection()?.isCollapsed === false) return;
  const isChoosing = row.closest('[data-selecting]') !== null;
  const control = isChoosing ? '[data-card="select"] input' : ':is([data-opens] a, [data-opens] button)';
  row.querySelector<HTMLElement>(control)?.click();
}

/**
 * Its cells are made by calls, not as components: a page describes its columns anew when rows come anew, and of components
 * that React has not seen it would build each cell from nothing, without the focus and the text that is being typed.
 */
function BodyRow<Row extends RowData>({ row, table, choosable, rowName, isNew }: BodyRowProps<Row>) {
  const { t } = useTranslation();
  const pinned = pinnedColumn(table);
  const isChosen = row.getIsSelected();
  const isMixed = row.getIsSomeSelected();
  const hasAllChosen = row.getIsAllSubRowsSelected();
  const isFresh = isNew?.(row.original) ?? false;
  const boxName = choosable ? t('table.selectRow', { name: rowName(row.original) }) : null;
  // When one of a hundred is chosen, the others stay as they are.
  // biome-ignore lint/correctness/useExhaustiveDependencies: cells are drawn by their columns, and know whether the row is open
  return useMemo(
    () => (
      <tr
        // biome-ignore lint/a11y/noRedundantRoles: the phone's layout changes display, which would drop the roles
        role="row"
        // Rows that fold others away are no record.
        data-id={row.subRows.length > 0 ? undefined : row.id}
        data-group={row.subRows.length > 0 || undefined}
        data-child={row.depth > 0 || undefined}
        data-selected={isChosen || undefined}
        data-new={isFresh || undefined}
        onClick={openRow}
      >
        {boxName !== null && (
          // biome-ignore lint/a11y/noRedundantRoles: see above
          <td role="cell" data-card="select" className="w-9">
            <Checkbox
              className="grid"
              aria-label={boxName}
              checked={isChosen || hasAllChosen}
              mixed={isMixed}
              onChange={(event) => row.toggleSelected(event.target.checked)}
            />
          </td>
        )}
        {row.getAllCells().map((cell) => {
          const { meta, cell: render } = cell.column.columnDef;
          return (
            <td
              key={cell.id}
              // biome-ignore lint/a11y/noRedundantRoles: see above
              role="cell"
              data-align={meta?.align}
              data-card={meta?.card}
              data-pinned={cell.column.id === pinned || undefined}
              data-opens={meta?.opens}
              className={meta?.className}
              {...widthStyle(meta?.width)}
            >
              {typeof render === 'function' && render(cell.getContext())}
            </td>
          );
        })}
      </tr>
    ),
    [
      row,
      table.options.columns,
      row.getIsExpanded(),
      ...[isChosen, isMixed, hasAllChosen, isFresh, boxName, pinned],
    ],
  );
}
