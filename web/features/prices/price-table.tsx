/** The table of prices: a row a model, with the other unit and what a group pays worked out beside its cells. */
import { formatRate } from '@core/money.ts';
import { USD_PER_RATIO } from '@core/price-ratio.ts';
import { Fragment } from 'react';
import { LinkButton } from '@/components/ui/button.tsx';
import { Select } from '@/components/ui/select.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { rateText } from '@/features/hub/price-item.ts';
import { cn } from '@/lib/cn.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Cells, cellsOf, type Mode, modes, NO_CELLS, preview, readCells } from './draft.ts';
import { COLUMNS, cell, columnNames, PriceCell } from './price-cell.tsx';
import type { PriceDrafts } from './use-price-drafts.ts';

interface GridProps {
  drafts: PriceDrafts;
  rows: readonly string[];
  /** All rows that are found, page after page: a paste goes on where the page ends. */
  found: readonly string[];
  ratio: number;
  onEdit: (name: string) => void;
  /** Opens the tiers of a model. */
  onTiers: (name: string) => void;
}

const head =
  'h-8 border-b border-line bg-sunken px-2 py-1 text-left text-xs font-medium break-keep text-muted';

/** Numbers one above the other where there is no room beside, in the height of a line of fields. */
const pair = cn(cell, 'text-right leading-4 whitespace-normal');

/** They break after their stroke only. */
const Pair = ({ numbers }: { numbers: readonly string[] }) =>
  numbers.map((number, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same two places, of which both may hold the same
    <Fragment key={n}>
      {n > 0 && ' '}
      <span className="inline-block whitespace-nowrap">
        {number}
        {n < numbers.length - 1 && ' /'}
      </span>
    </Fragment>
  ));

export function PriceTable({ drafts, rows, found, ratio, onEdit, onTiers }: GridProps) {
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
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className={cn(head, 'text-right')}>
                {t(columnNames[drafts.unit][column])}
              </th>
            ))}
            <th scope="col" className={cn(head, 'text-right')}>
              {t(byPrice ? 'prices.ratios' : 'prices.dollars')}
            </th>
            <th scope="col" className={cn(head, 'text-right')}>
              {t('prices.groupPays')}
            </th>
            <th scope="col" className={cn(head, END)}>
              {t('prices.words')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((name) => (
            <GridRow
              key={name}
              name={name}
              drafts={drafts}
              found={found}
              ratio={ratio}
              onEdit={onEdit}
              onTiers={onTiers}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What can be done with a row stays in sight where there is room for it. */
const END = 'md:sticky md:right-0 md:z-[1] md:border-l';

interface GridRowProps {
  name: string;
  drafts: PriceDrafts;
  found: readonly string[];
  ratio: number;
  onEdit: (name: string) => void;
  onTiers: (name: string) => void;
}

function GridRow({ name, drafts, found, ratio, onEdit, onTiers }: GridRowProps) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  const model = drafts.model(name);
  const draft = drafts.draft(name);
  const cells = drafts.cells(name);
  const isChanged = drafts.changed.includes(name);
  const shown = preview(cells, drafts.unit, ratio);
  const paid = shown
    ? [shown.input, shown.output].flatMap((usd) => (usd === null ? [] : rateText(usd, rules)))
    : ['—'];
  return (
    <tr data-removed={draft?.removed || undefined} className="group/row">
      <th
        scope="row"
        className={cn(cell, 'sticky left-0 z-[1] max-w-42 bg-surface pl-4 text-left font-normal')}
      >
        <span className="flex items-center gap-1.5">
          {isChanged && <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-accent" />}
          <span className="truncate group-data-removed/row:line-through" title={name}>
            {name}
          </span>
          {isChanged && <span className="sr-only">{t('setting.changed')}</span>}
          {!model && <Tag tone="hot">{t('prices.new')}</Tag>}
          {model?.video && <Tag>{t('prices.film', { price: `$${formatRate(model.video.per_second)}` })}</Tag>}
          {cells.mode === 'none' && !model?.video && <Tag tone="warn">{t('prices.noPrice')}</Tag>}
          {model?.source === 'option' && !isChanged && <Tag tone="hot">{t('prices.own')}</Tag>}
        </span>
      </th>
      <td className={cn(cell, 'p-0')}>
        <ModeSelect name={name} drafts={drafts} onTiers={onTiers} />
      </td>
      {COLUMNS.map((column) => (
        <PriceCell key={column} name={name} column={column} drafts={drafts} found={found} onTiers={onTiers} />
      ))}
      <td className={cn(pair, 'text-muted')}>
        <Other cells={cells} drafts={drafts} />
      </td>
      <td className={pair}>
        <Pair numbers={paid} />
        {shown && cells.mode === 'tiers' && t('hub.from')}
      </td>
      <td className={cn(cell, END, 'bg-surface')}>
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
  const factor = completionRatio ?? 1;
  if (drafts.unit === 'price') return <Pair numbers={[formatRate(ratio), formatRate(factor)]} />;
  const dollars = [ratio, ratio * factor].map((each) => `$${formatRate(each * USD_PER_RATIO)}`);
  return <Pair numbers={dollars} />;
}

interface ModeSelectProps {
  name: string;
  drafts: PriceDrafts;
  onTiers: (name: string) => void;
}

function ModeSelect({ name, drafts, onTiers }: ModeSelectProps) {
  const { t } = useTranslation();
  const now = drafts.cells(name);
  const change = (next: Mode) => {
    const tiered = drafts.tiered(name);
    if (next === 'tiers') return tiered ? drafts.setTiered(name, tiered) : onTiers(name);
    const back = cellsOf(drafts.model(name), drafts.unit);
    const input = next === 'none' ? '' : now.input;
    // The first tier is what a price without tiers begins with.
    const began = next === 'tokens' ? { ...now, mode: next } : { ...NO_CELLS, mode: next, input };
    drafts.setCells(new Map([[name, next === back.mode ? back : began]]));
  };
  return (
    <Select
      className="w-[104px] max-md:w-32 [&>select]:border-transparent [&>select]:bg-transparent [&>select]:pr-6"
      aria-label={t('prices.billingOf', { name })}
      value={now.mode}
      disabled={drafts.draft(name)?.removed}
      onChange={(event) => change(modes.find((one) => one === event.target.value) ?? 'tokens')}
    >
      {modes.map((one) => (
        <option key={one} value={one}>
          {t(`prices.mode.${one}`)}
        </option>
      ))}
    </Select>
  );
}
