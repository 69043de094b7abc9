/**
 * The one table of the console. The server pages and sorts; the address holds page, size and order; what the viewer
 * hides and how dense he likes it are his preferences. On the phone rows are cards.
 */
import { useRouterState } from '@tanstack/react-router';
import {
  columnVisibilityFeature,
  createColumnHelper,
  metaHelper,
  type RowData,
  type RowSelectionState,
  rowPaginationFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { Fragment, type ReactNode, useEffect, useMemo, useState } from 'react';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { cn } from '@/lib/cn.ts';
import type { Page } from '@/lib/list-search.ts';
import { useBoot } from '@/lib/page-context.ts';
import { keep } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Density } from '../../boot.ts';
import type { Column } from './column.ts';
import { HeaderCell } from './header-cell.tsx';
import { Pagination } from './pagination.tsx';
import { BulkBar, ToolLine } from './tool-line.tsx';

const features = tableFeatures({
  rowPaginationFeature,
  columnVisibilityFeature,
  rowSelectionFeature,
  // Columns carry the page's own description of them; only this file reads it.
  columnMeta: metaHelper<Omit<Column<never>, 'cell'>>(),
});

export interface DataTableProps<Row extends RowData> {
  /** Names the table in the viewer's preferences: lower-case letters and dashes. */
  name: string;
  /** Names the region for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  page: Page<Row>;
  rowId: (row: Row) => string;
  /** What a row is called, for its checkbox. */
  rowName: (row: Row) => string;
  /** `23 tokens`, at the left of the tool line. */
  summary: ReactNode;
  /** In the place of rows when there are none. */
  empty: ReactNode;
  /** What can be done with several rows at once; without it none can be chosen. */
  bulk?: (rows: Row[], clear: () => void) => ReactNode;
  isNew?: (row: Row) => boolean;
  /** What stands below an opened row, over its whole width; null for a row that is closed. */
  detail?: (row: Row) => ReactNode;
  /** Rows that stand over others and fold them away. */
  groups?: RowGroups<Row>;
  onRefresh: () => void;
}

export interface RowGroups<Row> {
  is: (row: Row) => boolean;
  /** The id of the row that this one stands under. */
  of: (row: Row) => string | undefined;
  /** Ids of the rows whose others are shown. */
  open: ReadonlySet<string>;
}

export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { name, label, columns, page, rowId, rowName, bulk, isNew, groups } = props;
  const { t } = useTranslation();
  const { preferences } = useBoot();
  const [density, setDensity] = useState<Density>(preferences.density);
  const [hidden, setHidden] = useState<string[]>(preferences.hiddenColumns[name] ?? []);
  const [selection, setSelection] = useState<RowSelectionState>({});
  const [selecting, setSelecting] = useState(false);
  const isLoading = useRouterState({ select: (state) => state.status === 'pending' });

  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map(({ cell, ...meta }) =>
      helper.display({ id: meta.id, meta, cell: ({ row }) => cell(row.original) }),
    );
  }, [columns]);

  const table = useTable({
    features,
    columns: definitions,
    data: page.items,
    rowCount: page.total,
    manualPagination: true,
    getRowId: rowId,
    state: {
      pagination: { pageIndex: page.page - 1, pageSize: page.size },
      columnVisibility: Object.fromEntries(hidden.map((id) => [id, false])),
      rowSelection: selection,
    },
    onRowSelectionChange: (update) =>
      setSelection((old) => (typeof update === 'function' ? update(old) : update)),
  });

  // What is chosen is chosen on this page; rows that come back with fresh values stay chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows, not new code, end a selection
  useEffect(() => {
    const present = new Set(page.items.map(rowId));
    setSelection((old) => Object.fromEntries(Object.entries(old).filter(([id]) => present.has(id))));
  }, [page.items]);

  const changeHidden = (next: string[]) => {
    setHidden(next);
    preferences.hiddenColumns[name] = next;
    keep.hiddenColumns(preferences.hiddenColumns);
  };
  const changeDensity = (next: Density) => {
    setDensity(next);
    preferences.density = next;
    keep.density(next);
  };

  const rows = table.getRowModel().rows;
  // A row over others is no thing of its own: choosing it chooses what stands under it.
  const things = rows.filter((row) => !groups?.is(row.original));
  const chosen = things.filter((row) => row.getIsSelected());
  const under = (id: string) => things.filter((row) => groups?.of(row.original) === id);
  const isShown = (row: Row) => {
    const over = groups?.of(row);
    return over === undefined || groups?.open.has(over) === true;
  };
  const choose = (ids: readonly { id: string }[], checked: boolean) => {
    const named = new Set(ids.map(({ id }) => id));
    setSelection((old) => {
      const others = Object.keys(old).filter((id) => !named.has(id));
      return Object.fromEntries([...others, ...(checked ? named : [])].map((id) => [id, true as const]));
    });
  };
  const clear = () => {
    setSelection({});
    setSelecting(false);
  };

  return (
    <section
      aria-label={label}
      aria-busy={isLoading}
      className="relative rounded-md border border-line bg-surface max-md:border-0 max-md:bg-transparent"
    >
      <LoadingBar shown={isLoading} />
      {bulk && chosen.length > 0 ? (
        <BulkBar count={chosen.length} onClear={clear}>
          {bulk(
            chosen.map((row) => row.original),
            clear,
          )}
        </BulkBar>
      ) : (
        <ToolLine
          summary={props.summary}
          columns={columns}
          hidden={hidden}
          density={density}
          selecting={bulk ? selecting : undefined}
          onHidden={changeHidden}
          onDensity={changeDensity}
          onSelecting={setSelecting}
          onRefresh={props.onRefresh}
        />
      )}
      {rows.length === 0 ? (
        <div className="max-md:rounded-md max-md:border max-md:border-line max-md:bg-surface">
          {props.empty}
        </div>
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label={label}
          className={cn(
            'relative overflow-auto [scrollbar-width:thin] md:max-h-[max(420px,calc(100dvh-168px))] max-md:overflow-visible',
            isLoading && 'opacity-60',
          )}
        >
          <table
            // biome-ignore lint/a11y/noRedundantRoles: the phone's layout changes display, which would drop the roles
            role="table"
            className="data-table"
            data-density={density}
            data-selecting={selecting || undefined}
          >
            {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
            <thead role="rowgroup">
              {table.getHeaderGroups().map((group) => (
                // biome-ignore lint/a11y/noRedundantRoles: see above
                <tr key={group.id} role="row">
                  {bulk && (
                    <th scope="col" className="w-9">
                      <Checkbox
                        aria-label={t('table.selectPage')}
                        checked={chosen.length === things.length}
                        mixed={chosen.length > 0 && chosen.length < things.length}
                        onChange={(event) => choose(things, event.target.checked)}
                      />
                    </th>
                  )}
                  {group.headers.map((header) => {
                    const { meta } = header.column.columnDef;
                    return meta && <HeaderCell key={header.id} column={meta} />;
                  })}
                </tr>
              ))}
            </thead>
            {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
            <tbody role="rowgroup">
              {rows
                .filter((row) => isShown(row.original))
                .map((row) => {
                  const isGroup = groups?.is(row.original) === true;
                  const members = isGroup ? under(row.id) : [row];
                  const selected = members.filter((member) => member.getIsSelected()).length;
                  return (
                    <Fragment key={row.id}>
                      <tr
                        // biome-ignore lint/a11y/noRedundantRoles: see above
                        role="row"
                        data-group={isGroup || undefined}
                        data-child={groups?.of(row.original) !== undefined || undefined}
                        data-selected={(!isGroup && selected > 0) || undefined}
                        data-new={isNew?.(row.original) || undefined}
                      >
                        {bulk && (
                          // biome-ignore lint/a11y/noRedundantRoles: see above
                          <td role="cell" data-card="select" className="w-9">
                            <Checkbox
                              className="grid"
                              aria-label={t('table.selectRow', { name: rowName(row.original) })}
                              checked={selected > 0 && selected === members.length}
                              mixed={selected > 0 && selected < members.length}
                              onChange={(event) => choose(members, event.target.checked)}
                            />
                          </td>
                        )}
                        {row.getVisibleCells().map((cell) => {
                          const { meta } = cell.column.columnDef;
                          return (
                            <td
                              key={cell.id}
                              // biome-ignore lint/a11y/noRedundantRoles: see above
                              role="cell"
                              data-align={meta?.align}
                              data-card={meta?.card}
                              className={meta?.className}
                            >
                              <table.FlexRender cell={cell} />
                            </td>
                          );
                        })}
                      </tr>
                      <DetailRow columns={row.getVisibleCells().length + (bulk ? 1 : 0)}>
                        {props.detail?.(row.original)}
                      </DetailRow>
                    </Fragment>
                  );
                })}
            </tbody>
          </table>
        </section>
      )}
      {page.total > 0 && <Pagination page={page} />}
    </section>
  );
}

function DetailRow({ columns, children }: { columns: number; children: ReactNode }) {
  if (!children) return null;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: the phone's layout changes display, which would drop the roles
    <tr role="row" data-detail>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <td role="cell" colSpan={columns}>
        {children}
      </td>
    </tr>
  );
}

/** Shown only when an answer takes longer than a blink. */
function LoadingBar({ shown }: { shown: boolean }) {
  if (!shown) return null;
  return (
    <div
      aria-hidden="true"
      className="absolute inset-x-0 top-0 z-10 h-0.5 animate-in bg-accent delay-200 duration-150 fill-mode-both fade-in-0"
    />
  );
}
