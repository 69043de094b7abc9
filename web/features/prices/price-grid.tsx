/**
 * The visual editor of prices: a table of cells, by price or by ratio, with the other worked out beside it and the
 * price as a group pays it. A block copied from a spreadsheet may be pasted into any cell.
 */
import { formatRate } from '@core/money.ts';
import type { TFunction } from 'i18next';
import { Plus, Search } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, useId, useState } from 'react';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { rateText } from '@/features/hub/price-item.ts';
import { ReviewDialog } from '@/features/setting/review-dialog.tsx';
import { cn } from '@/lib/cn.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { AddModel } from './add-model.tsx';
import {
  type Cells,
  cellsOf,
  type HubModel,
  type Mode,
  modes,
  pastedNumber,
  pastedTable,
  preview,
  readCells,
  type Words,
} from './draft.ts';
import { EntryDialog } from './entry-dialog.tsx';
import { Pager } from './pager.tsx';
import { type PriceDrafts, usePriceDrafts } from './use-price-drafts.ts';

const PAGE_SIZE = 10;
const COLUMNS = ['input', 'output', 'cache'] as const;
type ColumnName = (typeof COLUMNS)[number];

const views = ['all', 'enabled', 'changed', 'unpriced'] as const;
type View = (typeof views)[number];

interface PriceGridProps {
  models: readonly HubModel[];
  /** Every group with its ratio. */
  groups: Readonly<Record<string, number>>;
}

export function PriceGrid({ models, groups }: PriceGridProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const [text, setText] = useState('');
  const [view, setView] = useState<View>('all');
  const [page, setPage] = useState(0);
  const [group, setGroup] = useState(Object.keys(groups)[0] ?? 'default');
  const [edited, setEdited] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const drafts = usePriceDrafts(models, () => show('changed'));
  useLeaveGuard(drafts.changed.length > 0);

  const show = (next: View) => {
    setView(next);
    setText('');
    setPage(0);
  };
  const fits = (name: string): boolean => {
    const model = drafts.model(name);
    if (!name.toLowerCase().includes(text.trim().toLowerCase())) return false;
    if (view === 'enabled') return model?.enabled === true;
    if (view === 'unpriced') return drafts.cells(name).mode === 'none';
    return view === 'all' || drafts.changed.includes(name);
  };
  const found = drafts.names.filter(fits);
  const last = Math.max(0, Math.ceil(found.length / PAGE_SIZE) - 1);
  const at = Math.min(page, last);
  const rows = found.slice(at * PAGE_SIZE, (at + 1) * PAGE_SIZE);

  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
        <h2 id={headingId} className="mr-auto text-base font-semibold">
          {t('prices.title')}
        </h2>
        <label className="flex items-center gap-2 text-sm text-muted">
          {t('prices.previewFor')}
          <Select className="w-36" value={group} onChange={(event) => setGroup(event.target.value)}>
            {Object.entries(groups).map(([name, ratio]) => (
              <option key={name} value={name}>
                {ratio === 1 ? name : `${name} × ${formatRate(ratio)}`}
              </option>
            ))}
          </Select>
        </label>
        <Segmented
          label={t('prices.unit')}
          value={drafts.unit}
          options={[
            { value: 'price', label: t('prices.byPrice') },
            { value: 'ratio', label: t('prices.byRatio') },
          ]}
          onChange={drafts.setUnit}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <div className="relative w-60 max-md:w-full">
          <Search
            className="pointer-events-none absolute top-1/2 left-[9px] -translate-y-1/2 text-faint"
            aria-hidden="true"
          />
          <Input
            type="search"
            aria-label={t('prices.search')}
            placeholder={t('prices.search')}
            value={text}
            className="pl-[31px]"
            onChange={(event) => {
              setText(event.target.value);
              setPage(0);
            }}
          />
        </div>
        <Select
          className="w-36"
          aria-label={t('prices.view')}
          value={view}
          onChange={(event) => {
            setView(views.find((one) => one === event.target.value) ?? 'all');
            setPage(0);
          }}
        >
          {views.map((one) => (
            <option key={one} value={one}>
              {t(`prices.view.${one}`)}
            </option>
          ))}
        </Select>
        <span className="text-xs text-muted max-md:w-full">
          {t(drafts.unit === 'price' ? 'prices.helpPrice' : 'prices.helpRatio')}
        </span>
        <Button variant="ghost" className="ml-auto" onClick={() => setAdding(true)}>
          <Plus aria-hidden="true" />
          {t('prices.add')}
        </Button>
      </div>
      <Grid drafts={drafts} rows={rows} found={found} ratio={groups[group] ?? 1} onEdit={setEdited} />
      {rows.length === 0 && <p className="px-4 py-6 text-sm text-muted">{t('prices.none')}</p>}
      <Pager page={at} last={last} total={found.length} onPage={setPage} />
      <SaveLine drafts={drafts} onReview={() => setReviewing(true)} onChanged={() => show('changed')} />
      {adding && (
        <AddModel drafts={drafts} onClose={() => setAdding(false)} onAdded={() => show('changed')} />
      )}
      {edited !== null && <EntryDialog name={edited} drafts={drafts} onClose={() => setEdited(null)} />}
      {reviewing && (
        <ReviewDialog
          changes={changesOf(drafts, t)}
          onClose={() => setReviewing(false)}
          onSave={() => {
            setReviewing(false);
            void drafts.save();
          }}
        />
      )}
    </section>
  );
}

/** What a row holds, as one object, so that the review tells its differences field by field. */
function changesOf(drafts: PriceDrafts, t: TFunction) {
  const names = columnNames[drafts.unit];
  const shown = ({ mode, ...cells }: Cells, words: Partial<Words>) =>
    JSON.stringify({
      [t('hub.billing')]: t(`prices.mode.${mode}`),
      ...Object.fromEntries(
        COLUMNS.flatMap((column) => (cells[column] === '' ? [] : [[t(names[column]), cells[column]]])),
      ),
      ...Object.fromEntries(
        Object.entries(words).map(([field, value]) => [
          t(wordNames[field as keyof Words]),
          field === 'icon' && value ? '…' : value,
        ]),
      ),
    });
  return drafts.changed.map((name) => {
    const model = drafts.model(name);
    const draft = drafts.draft(name);
    const words = draft?.words ?? {};
    const before = Object.fromEntries(
      Object.entries(model ?? {}).filter(([field]) => Object.hasOwn(words, field)),
    );
    return {
      label: name,
      before: model ? shown(cellsOf(model, drafts.unit), before) : '{}',
      after: draft?.removed ? '{}' : shown(drafts.cells(name), words),
    };
  });
}

const wordNames = {
  icon: 'prices.icon',
  desc: 'prices.desc',
  max_token: 'prices.context',
  hide: 'prices.hide',
  model_type: 'prices.types',
  tags: 'prices.tags',
  multimodal: 'prices.multimodal',
  sort: 'prices.sort',
} as const satisfies Record<keyof Words, TextKey>;

interface GridProps {
  drafts: PriceDrafts;
  rows: readonly string[];
  /** All rows that are found, page after page: a paste goes on where the page ends. */
  found: readonly string[];
  ratio: number;
  onEdit: (name: string) => void;
}

const head =
  'h-8 border-b border-line bg-sunken px-2 text-left text-xs font-medium text-muted whitespace-nowrap';
const cell = 'h-9 border-b border-line px-2 text-sm whitespace-nowrap not-first:border-l';

function Grid({ drafts, rows, found, ratio, onEdit }: GridProps) {
  const { t } = useTranslation();
  const byPrice = drafts.unit === 'price';
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t('prices.title')}
      className="overflow-x-auto [scrollbar-width:thin]"
    >
      <table className="w-full border-separate border-spacing-0 tabular-nums">
        <thead>
          <tr>
            <th scope="col" className={cn(head, 'sticky left-0 z-[2] pl-4')}>
              {t('hub.model')}
            </th>
            <th scope="col" className={head}>
              {t('hub.billing')}
            </th>
            <th scope="col" className={cn(head, 'text-right')}>
              {t(byPrice ? 'prices.inputPrice' : 'prices.modelRatio')}
            </th>
            <th scope="col" className={cn(head, 'text-right')}>
              {t(byPrice ? 'prices.outputPrice' : 'prices.completionRatio')}
            </th>
            <th scope="col" className={cn(head, 'text-right')}>
              {t(byPrice ? 'prices.cachePrice' : 'prices.cacheRatio')}
            </th>
            <th scope="col" className={cn(head, 'text-right')}>
              {t(byPrice ? 'prices.ratios' : 'prices.dollars')}
            </th>
            <th scope="col" className={cn(head, 'text-right')}>
              {t('prices.groupPays')}
            </th>
            <th scope="col" className={head}>
              {t('prices.words')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((name) => (
            <GridRow key={name} name={name} drafts={drafts} found={found} ratio={ratio} onEdit={onEdit} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface GridRowProps {
  name: string;
  drafts: PriceDrafts;
  found: readonly string[];
  ratio: number;
  onEdit: (name: string) => void;
}

function GridRow({ name, drafts, found, ratio, onEdit }: GridRowProps) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  const model = drafts.model(name);
  const draft = drafts.draft(name);
  const cells = drafts.cells(name);
  const isChanged = drafts.changed.includes(name);
  const shown = preview(cells, drafts.unit, ratio);
  const money = (usd: number) => rateText(usd, rules);
  return (
    <tr data-removed={draft?.removed || undefined} className="group/row">
      <th
        scope="row"
        className={cn(
          cell,
          'sticky left-0 z-[1] max-w-52 bg-surface pl-4 text-left font-normal max-md:max-w-44',
        )}
      >
        <span className="flex items-center gap-1.5">
          {isChanged && <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-accent" />}
          <span className="truncate group-data-removed/row:line-through" title={name}>
            {name}
          </span>
          {isChanged && <span className="sr-only">{t('setting.changed')}</span>}
          {!model && <Tag tone="hot">{t('prices.new')}</Tag>}
          {cells.mode === 'none' && <Tag tone="warn">{t('prices.noPrice')}</Tag>}
          {model?.source === 'default' && !isChanged && cells.mode !== 'none' && (
            <Tag>{t('prices.default')}</Tag>
          )}
        </span>
      </th>
      <td className={cn(cell, 'p-0')}>
        <ModeSelect name={name} drafts={drafts} />
      </td>
      {COLUMNS.map((column) => (
        <PriceCell key={column} name={name} column={column} drafts={drafts} found={found} />
      ))}
      <td className={cn(cell, 'text-right text-muted')}>
        <Other cells={cells} drafts={drafts} />
      </td>
      <td className={cn(cell, 'text-right')}>
        {shown
          ? [shown.input, shown.output].flatMap((usd) => (usd === null ? [] : money(usd))).join(' / ')
          : '—'}
      </td>
      <td className={cell}>
        {draft?.removed ? (
          <LinkButton className="text-xs" onClick={() => drafts.undo([name])}>
            {t('setting.undo')}
          </LinkButton>
        ) : (
          <LinkButton
            className="text-xs"
            aria-label={t('prices.editWords', { name })}
            onClick={() => onEdit(name)}
          >
            {t('prices.edit')}
          </LinkButton>
        )}
      </td>
    </tr>
  );
}

/** The same price in the other unit: ratios beside prices, dollars beside ratios. */
function Other({ cells, drafts }: { cells: Cells; drafts: PriceDrafts }) {
  const read = readCells(cells, drafts.unit);
  if (!read.ok || read.price.ratio === null) return '—';
  const { ratio, completionRatio } = read.price;
  if (drafts.unit === 'price') return `${formatRate(ratio)} / ${formatRate(completionRatio ?? 1)}`;
  return `$${formatRate(ratio * 2)} / $${formatRate(ratio * 2 * (completionRatio ?? 1))}`;
}

function ModeSelect({ name, drafts }: { name: string; drafts: PriceDrafts }) {
  const { t } = useTranslation();
  const { mode } = drafts.cells(name);
  const stored = drafts.model(name)?.mode;
  // Tiers are written as JSON: the choice is there only where the model has them.
  const offered = modes.filter((one) => one !== 'tiers' || stored === 'tiers');
  const change = (next: Mode) => {
    const back = cellsOf(drafts.model(name), drafts.unit);
    const cells: Cells =
      next === back.mode
        ? back
        : { mode: next, input: next === 'none' ? '' : drafts.cells(name).input, output: '', cache: '' };
    drafts.setCells(new Map([[name, cells]]));
  };
  return (
    <Select
      className="w-[104px] max-md:w-32 [&>select]:border-transparent [&>select]:bg-transparent [&>select]:pr-6"
      aria-label={t('prices.billingOf', { name })}
      value={mode}
      disabled={drafts.draft(name)?.removed}
      onChange={(event) => change(modes.find((one) => one === event.target.value) ?? 'tokens')}
    >
      {offered.map((one) => (
        <option key={one} value={one}>
          {t(`prices.mode.${one}`)}
        </option>
      ))}
    </Select>
  );
}

interface PriceCellProps {
  name: string;
  column: ColumnName;
  drafts: PriceDrafts;
  found: readonly string[];
}

const columnNames = {
  price: { input: 'prices.inputPrice', output: 'prices.outputPrice', cache: 'prices.cachePrice' },
  ratio: { input: 'prices.modelRatio', output: 'prices.completionRatio', cache: 'prices.cacheRatio' },
} as const;

function PriceCell({ name, column, drafts, found }: PriceCellProps) {
  const { t } = useTranslation();
  const errorId = useId();
  const cells = drafts.cells(name);
  const { mode } = cells;
  const before = cellsOf(drafts.model(name), drafts.unit);
  const value = cells[column];
  const isChanged = mode !== before.mode || value !== before[column];
  if (mode === 'tiers') {
    return (
      <td className={cn(cell, 'text-right text-muted')} title={t('prices.tiersHelp')}>
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
          className="h-9 w-full min-w-[76px] bg-transparent px-2 text-right text-sm focus:outline-offset-[-2px] aria-invalid:text-bad max-md:h-11 max-md:text-[16px]"
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

interface SaveLineProps {
  drafts: PriceDrafts;
  onReview: () => void;
  onChanged: () => void;
}

function SaveLine({ drafts, onReview, onChanged }: SaveLineProps) {
  const { t } = useTranslation();
  const count = drafts.changed.length;
  return (
    <div
      className="flex flex-wrap items-center gap-2 rounded-b-md border-t border-line bg-surface px-4 py-2.5 data-[dirty]:sticky data-[dirty]:bottom-0 data-[dirty]:z-[5]"
      data-dirty={count > 0 || undefined}
    >
      <span role="status" className="text-sm">
        {count > 0 && t('prices.unsaved', { count })}
      </span>
      <span className="ml-auto flex flex-wrap gap-2">
        {count > 0 && (
          <>
            <Button variant="ghost" onClick={() => drafts.undo()}>
              {t('setting.undo')}
            </Button>
            <Button variant="ghost" className="max-md:hidden" onClick={onChanged}>
              {t('prices.showChanged')}
            </Button>
            <Button onClick={onReview}>{t('setting.review')}</Button>
          </>
        )}
        <Button
          variant={count > 0 ? 'primary' : 'default'}
          busy={drafts.saving}
          onClick={() => void drafts.save()}
        >
          {t('prices.save')}
        </Button>
      </span>
    </div>
  );
}
