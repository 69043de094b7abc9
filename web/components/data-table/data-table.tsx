/**
 * The one table of the console. The server pages and sorts; the address holds page, size and order; how the viewer
 * arranges it and how dense he likes it are his preferences. On the phone rows are cards.
 */
import { useRouterState } from '@tanstack/react-router';
import type { RowData } from '@tanstack/react-table';
import { type ReactNode, useRef, useState } from 'react';
import type { AskPage } from '@/lib/list-search.ts';
import { useBoot } from '@/lib/page-context.ts';
import { keep } from '@/lib/storage.ts';
import type { Density } from '../../boot.ts';
import type { Column } from './column.ts';
import { Pagination } from './pagination.tsx';
import { TableBody, TableHead } from './table-rows.tsx';
import { BulkBar, ToolLine } from './tool-line.tsx';
import { type DataTableOptions, placeIn, useDataTable } from './use-data-table.ts';
import { useMatching } from './use-matching.ts';
import { useScrollEdges } from './use-scroll-edges.ts';
import { useTableView } from './use-table-view.ts';

export interface DataTableProps<Row extends RowData> extends Omit<DataTableOptions<Row>, 'columns'> {
  /** Names the table in the viewer's preferences: lower-case letters and dashes. */
  name: string;
  /** All that there are, in the order that they have at first. */
  columns: readonly Column<Row>[];
  /** Names the region for screen readers. */
  label: string;
  /** What a row is called, for its checkbox. */
  rowName: (row: Row) => string;
  /** `23 tokens`, at the left of the tool line. */
  summary: ReactNode;
  /** In the place of rows when there are none. */
  empty: ReactNode;
  /**
   * What can be done with several rows at once, `isBeyond` where they are more than a page shows, also of a list without pages
   * and of what is folded away; without it none can be chosen.
   */
  bulk?: (rows: Row[], clear: () => void, isBeyond: boolean) => ReactNode;
  /** With it all that the filters match can be chosen, whatever the page shows. */
  matching?: AskPage<Row> | undefined;
  /** How many match, where the pages count something else than what is chosen. */
  matchingTotal?: number | undefined;
  isNew?: (row: Row) => boolean;
  /** What stands below an opened row, over its whole width. */
  detail?: (row: Row) => ReactNode;
  /** Beside the numbered pages, such as a way to jump. */
  pagerEnd?: ReactNode;
  /** In the place of numbered pages. */
  pager?: ReactNode;
  onRefresh: () => void;
}

export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, page, bulk } = props;
  const { view, shown } = useTableView(props.name, props.columns);
  const table = useDataTable({ ...props, columns: shown });
  const [density, setDensity] = useDensity();
  const [selecting, setSelecting] = useState(false);
  const region = useRef<HTMLElement>(null);
  useScrollEdges(region);
  const matching = useMatching(table, props);
  const chosen = matching.rows ?? table.getSelectedRowModel().flatRows.map((row) => row.original);
  const hasChosen = chosen.length > 0;
  const isEmpty = page.items.length === 0;
  const { pageSize } = useBoot().preferences;
  const mostSeen = props.pager === false ? pageSize : page.size;
  const onWidth = (id: string, width: number | undefined) => view.change(id, { width });
  const rows = { ...props, table, choosable: bulk !== undefined, onWidth };
  const clear = () => {
    table.resetRowSelection(true);
    matching.clear();
    setSelecting(false);
  };

  return (
    <Busy label={label}>
      {bulk && hasChosen && (
        <BulkBar count={chosen.length} offer={matching.offer} onClear={clear}>
          {bulk(chosen, clear, matching.rows !== null || chosen.length > mostSeen)}
        </BulkBar>
      )}
      <ToolLine
        summary={props.summary}
        view={view}
        widthOf={(id) => region.current?.querySelector<HTMLElement>(`th[data-column="${id}"]`)?.offsetWidth}
        density={density}
        covered={hasChosen}
        isEmpty={isEmpty}
        selecting={bulk && !isEmpty ? selecting : undefined}
        onDensity={setDensity}
        onSelecting={(next) => (next ? setSelecting(true) : clear())}
        onSelectPage={() => table.toggleAllPageRowsSelected(true)}
        onRefresh={props.onRefresh}
      />
      {isEmpty ? (
        <div className="max-md:rounded-md max-md:border max-md:border-line max-md:bg-surface">
          {props.empty}
        </div>
      ) : (
        <section
          ref={region}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label={label}
          className="table-region relative overflow-auto [scrollbar-width:thin] md:max-h-[max(420px,calc(100dvh-168px))] max-md:overflow-visible"
        >
          <table
            // biome-ignore lint/a11y/noRedundantRoles: the phone's layout changes display, which would drop the roles
            role="table"
            className="data-table"
            data-density={density}
            data-selecting={selecting || undefined}
          >
            <TableHead {...rows} />
            <TableBody {...rows} />
          </table>
        </section>
      )}
      {props.pager ?? (page.total > 0 && <Pagination {...placeIn(table)}>{props.pagerEnd}</Pagination>)}
    </Busy>
  );
}

/** By itself: that something is on its way draws no row anew. */
function Busy({ label, children }: { label: string; children: ReactNode }) {
  // What is loaded anew where it stands is shown when it is there: only for a moment does the router call that pending.
  const isLoading = useRouterState({
    select: ({ status, location, resolvedLocation }) =>
      status === 'pending' && location.href !== resolvedLocation?.href,
  });
  return (
    <section
      aria-label={label}
      aria-busy={isLoading}
      className="relative rounded-md border border-line bg-surface max-md:border-0 max-md:bg-transparent"
    >
      <LoadingBar shown={isLoading} />
      {children}
    </section>
  );
}

/** How close the rows stand, as the viewer's preferences have it. */
function useDensity(): [Density, (next: Density) => void] {
  const { preferences } = useBoot();
  const [density, setDensity] = useState<Density>(preferences.density);
  const change = (next: Density) => {
    setDensity(next);
    preferences.density = next;
    keep.density(next);
  };
  return [density, change];
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
