/** One number of the table of prices: typed, pasted with its neighbours, marked when it is changed or wrong. */
import { formatRate } from '@core/money.ts';
import { type ClipboardEvent, type KeyboardEvent, useId } from 'react';
import { LinkButton } from '@/components/ui/button.tsx';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Cells, cellsOf, pastedNumber, pastedTable, readCells } from './draft.ts';
import type { PriceDrafts } from './use-price-drafts.ts';

export const COLUMNS = ['input', 'output', 'cache', 'thinking'] as const;
type ColumnName = (typeof COLUMNS)[number];

/** Every cell of the table. */
export const cell = 'h-9 border-b border-line px-2 text-sm whitespace-nowrap not-first:border-l';

interface PriceCellProps {
  name: string;
  column: ColumnName;
  drafts: PriceDrafts;
  found: readonly string[];
  onTiers: (name: string) => void;
}

export const columnNames = {
  price: {
    input: 'prices.inputPrice',
    output: 'prices.outputPrice',
    cache: 'prices.cachePrice',
    thinking: 'prices.thinkingPrice',
  },
  ratio: {
    input: 'prices.modelRatio',
    output: 'prices.completionRatio',
    cache: 'prices.cacheRatio',
    thinking: 'prices.thinkingRatio',
  },
} as const;

export function PriceCell({ name, column, drafts, found, onTiers }: PriceCellProps) {
  const { t } = useTranslation();
  const errorId = useId();
  const cells = drafts.cells(name);
  const { mode } = cells;
  const before = cellsOf(drafts.model(name), drafts.unit);
  const value = cells[column];
  const isChanged = mode !== before.mode || value !== before[column];
  if (mode === 'tiers') {
    return (
      <td className={cn(cell, 'text-right text-muted', drafts.draft(name)?.tiered && 'bg-warn-soft')}>
        {column === 'input' && !drafts.draft(name)?.removed && (
          <LinkButton
            className="mr-2 text-xs"
            aria-label={t('prices.editTiers', { name })}
            onClick={() => onTiers(name)}
          >
            {t('prices.edit')}
          </LinkButton>
        )}
        {value === '' ? '—' : `${value}${t('hub.from')}`}
      </td>
    );
  }
  if (mode === 'call' && column !== 'input') {
    return <td className={cn(cell, 'bg-sunken text-right text-faint')}>—</td>;
  }
  const read = readCells(cells, drafts.unit);
  const wasTouched = drafts.draft(name) !== undefined;
  const error = !read.ok && wasTouched ? read.errors[column] : undefined;
  const set = (text: string) => {
    // Typing a number into a row without a price gives it one.
    const change = mode === 'none' && text !== '' ? { mode: 'tokens' as const } : {};
    drafts.setCells(new Map([[name, { ...change, [column]: text }]]));
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const table = pastedTable(event.clipboardData.getData('text'));
    if (!table) return;
    event.preventDefault();
    drafts.setCells(cellsFromPaste(table, { name, column, found, drafts }));
  };
  const label = t('prices.cellOf', { column: t(columnNames[drafts.unit][column]), name });
  return (
    <td className={cn(cell, 'p-0', isChanged && 'bg-warn-soft')}>
      <span className="flex items-center">
        {isChanged && before[column] !== '' && (
          <del className="pl-2 text-xs text-muted">{shortNumber(before[column])}</del>
        )}
        <input
          type="text"
          inputMode="decimal"
          autoComplete="off"
          aria-label={label}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? errorId : undefined}
          data-cell={`${column} ${name}`}
          readOnly={drafts.draft(name)?.removed}
          className="h-9 w-full min-w-19 bg-transparent pr-2 pl-1 text-right text-sm focus:outline-offset-[-2px] aria-invalid:text-bad max-md:h-11 max-md:text-[16px]"
          value={isChanged ? value : shortNumber(value)}
          onChange={(event) => set(event.target.value)}
          onFocus={(event) => event.target.select()}
          onPaste={paste}
          onKeyDown={(event) => moveDown(event, column, name, found)}
        />
      </span>
      {error && (
        <span id={errorId} className="block px-2 pb-1 text-right text-xs whitespace-normal text-bad">
          {t(error)}
        </span>
      )}
    </td>
  );
}

/** Six digits are enough to read; the cell itself keeps them all. */
const shortNumber = (text: string): string =>
  /^\d+(\.\d+)?$/.test(text) && !/^0*(\.0+)?$/.test(text) ? rounded(text) : text;
const rounded = (text: string): string => {
  const rate = formatRate(Number(text));
  return /e/i.test(rate) ? text : rate;
};

/** Enter goes on to the next row, as in a spreadsheet. */
function moveDown(
  event: KeyboardEvent<HTMLInputElement>,
  column: ColumnName,
  name: string,
  found: readonly string[],
): void {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  const next = found[found.indexOf(name) + 1];
  const cells = [...document.querySelectorAll<HTMLInputElement>('input[data-cell]')];
  cells.find((one) => one.dataset.cell === `${column} ${next}`)?.focus();
}

interface PasteTarget {
  name: string;
  column: ColumnName;
  found: readonly string[];
  drafts: PriceDrafts;
}

/** A block of numbers goes right and down from the cell; one whose first column names models goes to those models. */
function cellsFromPaste(
  table: readonly string[][],
  { name, column, found, drafts }: PasteTarget,
): Map<string, Partial<Cells>> {
  const isNamed = table.every(([first = '']) => Number.isNaN(Number(pastedNumber(first))) || first === '');
  const rowAt = found.indexOf(name);
  const columnAt = COLUMNS.indexOf(column);
  const changes = new Map<string, Partial<Cells>>();
  table.forEach((row, i) => {
    const target = isNamed ? row[0] : found[rowAt + i];
    if (!target) return;
    const values = isNamed ? row.slice(1) : row;
    const columns = COLUMNS.slice(isNamed ? 0 : columnAt);
    const { mode } = drafts.cells(target);
    const change: Partial<Cells> = mode === 'call' || mode === 'tokens' ? {} : { mode: 'tokens' };
    columns.forEach((one, j) => {
      const value = values[j];
      if (value !== undefined) change[one] = pastedNumber(value);
    });
    changes.set(target, change);
  });
  return changes;
}
