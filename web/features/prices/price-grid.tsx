/**
 * The visual editor of prices: a table of cells, by price or by ratio, with the other worked out beside it and the
 * price as a group pays it. A block copied from a spreadsheet may be pasted into any cell.
 */
import { formatRate } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { Pagination } from '@/components/data-table/pagination.tsx';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { SearchFilter } from '@/components/filter-bar.tsx';
import { FormFailure } from '@/components/form-failure.tsx';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { Button } from '@/components/ui/button.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { errorText } from '@/lib/error-text.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { late } from '@/lib/late.tsx';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Cells, cellsOf, type HubModel, type Words } from './draft.ts';
import { COLUMNS, columnNames } from './price-cell.tsx';
import { PriceTable } from './price-table.tsx';
import { type Tiered, tiersText } from './tiers.ts';
import { usePage } from './use-page.ts';
import { type PriceDrafts, usePriceDrafts } from './use-price-drafts.ts';
import { type PriceFilter, priceFilters, SHOWING } from './views.ts';

const AddModel = late(() => import('./add-model.tsx').then((module) => module.AddModel));
const EntryDialog = late(() => import('./entry-dialog.tsx').then((module) => module.EntryDialog));
const ReviewDialog = late(() =>
  import('@/features/setting/review-dialog.tsx').then((module) => module.ReviewDialog),
);
const TiersDialog = late(() => import('./tiers-dialog.tsx').then((module) => module.TiersDialog));

const route = getRouteApi('/_console/setting');

interface PriceGridProps {
  models: readonly HubModel[];
  /** Every group with its ratio. */
  groups: Readonly<Record<string, number>>;
}

export function PriceGrid({ models, groups }: PriceGridProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const { model: text = '', show: filter = 'all' } = route.useSearch();
  const setSearch = useSetSearch();
  const [group, setGroup] = useState(Object.keys(groups)[0] ?? 'default');
  const [edited, setEdited] = useState<string | null>(null);
  const [tiersOf, setTiersOf] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const drafts = usePriceDrafts(models, () => show('changed'));
  useLeaveGuard(drafts.changed.length > 0, { free: SHOWING });

  const show = (next: PriceFilter) =>
    setSearch({ show: next === 'all' ? undefined : next, model: undefined, p: undefined }, { replace: true });
  const fits = (name: string): boolean => {
    const model = drafts.model(name);
    if (!name.toLowerCase().includes(text.toLowerCase())) return false;
    if (filter === 'enabled') return model?.enabled === true;
    if (filter === 'own') return model?.source === 'option' || (model?.video ?? null) !== null;
    if (filter === 'unpriced') return drafts.cells(name).mode === 'none' && !model?.video;
    return filter === 'all' || drafts.changed.includes(name);
  };
  const found = drafts.names.filter(fits);
  const { rows, pager } = usePage(found);

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
        <SearchFilter name="model" label={t('prices.search')} />
        <Select
          className="w-36"
          aria-label={t('prices.view')}
          value={filter}
          onChange={(event) =>
            setSearch(
              { show: event.target.value === 'all' ? undefined : event.target.value, p: undefined },
              { replace: true },
            )
          }
        >
          {priceFilters.map((one) => (
            <option key={one} value={one}>
              {t(`prices.view.${one}`)}
            </option>
          ))}
        </Select>
        <span className="min-w-0 flex-1 text-xs text-muted max-md:basis-full">
          {t(drafts.unit === 'price' ? 'prices.helpPrice' : 'prices.helpRatio')}
        </span>
        <Button variant="ghost" className="ml-auto" onClick={() => setAdding(true)}>
          <Plus aria-hidden="true" />
          {t('prices.add')}
        </Button>
      </div>
      <PriceTable
        drafts={drafts}
        rows={rows}
        found={found}
        ratio={groups[group] ?? 1}
        onEdit={setEdited}
        onTiers={setTiersOf}
      />
      {rows.length === 0 && <p className="px-4 py-6 text-sm text-muted">{t('prices.none')}</p>}
      <Pagination {...pager} className="border-t-0 max-md:px-4" />
      <SaveLine drafts={drafts} onReview={() => setReviewing(true)} onChanged={() => show('changed')} />
      {adding && (
        <AddModel drafts={drafts} onClose={() => setAdding(false)} onAdded={() => show('changed')} />
      )}
      {edited !== null && <EntryDialog name={edited} drafts={drafts} onClose={() => setEdited(null)} />}
      {tiersOf !== null && <TiersDialog name={tiersOf} drafts={drafts} onClose={() => setTiersOf(null)} />}
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
  const shown = ({ mode, ...cells }: Cells, words: Partial<Words>, tiered: Tiered | null) =>
    JSON.stringify({
      [t('hub.billing')]: t(`prices.mode.${mode}`),
      ...(mode === 'tiers' && tiered && { [t('prices.tiers')]: tiersText(tiered) }),
      ...Object.fromEntries(
        (mode === 'tiers' ? [] : COLUMNS).flatMap((column) =>
          cells[column] === '' ? [] : [[t(names[column]), cells[column]]],
        ),
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
      before: model ? shown(cellsOf(model, drafts.unit), before, model.tiered) : '{}',
      after: draft?.removed ? '{}' : shown(drafts.cells(name), words, drafts.tiered(name)),
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
      className="flex flex-wrap items-center gap-2 rounded-b-md border-t border-line bg-surface px-4 py-2.5 *:first:basis-full *:first:empty:hidden data-[dirty]:sticky data-[dirty]:bottom-0 data-[dirty]:z-[5]"
      data-dirty={count > 0 || undefined}
    >
      <FormFailure
        failure={drafts.failure}
        text={t('prices.notSaved', { reason: errorText(drafts.failure, t) })}
      />
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
