import { formatNumber } from '@core/money.ts';
import { RefreshCw } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { cn } from '@/lib/cn.ts';
import { late } from '@/lib/late.tsx';
import { onUse } from '@/lib/on-use.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { MatchingOffer, SelectMatchingProps } from './select-matching.tsx';
import { SortSelect } from './sort-select.tsx';
import {
  type ColumnPanelProps,
  ColumnsButton,
  DensityButton,
  type DensityMenuProps,
} from './view-buttons.tsx';

const lineClass =
  'flex min-h-11 items-center gap-2 rounded-t-md border-b py-1.5 pr-2 pl-4 text-sm max-md:border-0 max-md:px-0 max-md:pt-0 max-md:pb-2';

const ColumnPanel = onUse<ColumnPanelProps>(
  () => import('./column-panel.tsx').then((module) => module.ColumnPanel),
  ({ onUse }) => <ColumnsButton onClick={onUse} />,
);

const DensityMenu = onUse<DensityMenuProps>(
  () => import('./density-menu.tsx').then((module) => module.DensityMenu),
  ({ onUse }) => <DensityButton onClick={onUse} />,
);

interface ToolLineProps extends ColumnPanelProps, DensityMenuProps {
  summary: ReactNode;
  /** At a desk the bar of what is chosen stands in its place. */
  covered: boolean;
  /** Of no rows, nothing can be put in order. */
  isEmpty: boolean;
  /** On the phone, whether rows are being chosen; undefined where none can be. */
  selecting?: boolean;
  onSelecting: (selecting: boolean) => void;
  onSelectPage: () => void;
  onRefresh: () => void;
}

/** Over the table: what it holds, and how it is looked at. */
export function ToolLine(props: ToolLineProps) {
  const { t } = useTranslation();
  const { selecting } = props;
  return (
    <div className={cn(lineClass, 'border-line', props.covered && 'md:hidden')}>
      <span className="text-muted">{props.summary}</span>
      <span className="ml-auto flex shrink-0 items-center gap-0.5">
        {selecting ? (
          <Button variant="ghost" className="md:hidden" onClick={props.onSelectPage}>
            {t('table.selectPage')}
          </Button>
        ) : (
          !props.isEmpty && <SortSelect columns={props.view.columns.map(({ column }) => column)} />
        )}
        <ColumnPanel view={props.view} widthOf={props.widthOf} />
        <DensityMenu density={props.density} onDensity={props.onDensity} />
        {selecting !== undefined && (
          <Button
            variant="ghost"
            aria-pressed={selecting}
            className="md:hidden"
            onClick={() => props.onSelecting(!selecting)}
          >
            {t(selecting ? 'table.selectDone' : 'table.select')}
          </Button>
        )}
        <Button variant="ghost" className="max-md:hidden" onClick={props.onRefresh}>
          <RefreshCw aria-hidden="true" />
          {t('table.refresh')}
        </Button>
      </span>
    </div>
  );
}

const SelectMatching = late<SelectMatchingProps>(() =>
  import('./select-matching.tsx').then((module) => module.SelectMatching),
);

interface BulkBarProps {
  count: number;
  /** The way to choose all that match, where there is one. */
  offer: MatchingOffer | null;
  onClear: () => void;
  children: ReactNode;
}

/**
 * In the place of the tool line while rows are chosen, of the same height: nothing moves. On the phone, at the bottom,
 * beside it.
 */
export function BulkBar({ count, offer, onClear, children }: BulkBarProps) {
  const { t } = useTranslation();
  const clearButton = useRef<HTMLButtonElement>(null);
  return (
    <div
      data-bulk
      className={`${lineClass} border-accent-line bg-accent-soft max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:min-h-[70px] max-md:flex-wrap max-md:border-t max-md:px-4 max-md:py-2`}
    >
      <strong role="status" className="mr-2 font-semibold text-accent-text tabular-nums">
        {t('table.selected', { n: formatNumber(count) })}
      </strong>
      <div className="bulk-actions">{children}</div>
      {/* Behind the actions: when it goes, none of them comes under the pointer that pressed it. */}
      <span className="ml-auto flex">
        {offer && <SelectMatching {...offer} next={clearButton} />}
        <Button ref={clearButton} variant="ghost" onClick={onClear}>
          {t('table.clearSelection')}
        </Button>
      </span>
    </div>
  );
}
