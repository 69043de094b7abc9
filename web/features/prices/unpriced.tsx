/** Models that channels serve and nothing prices, and a price for many of them at once. */
import { useId, useState } from 'react';
import { Pagination } from '@/components/data-table/pagination.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { type HubModel, isUnpriced } from './draft.ts';
import { tierList } from './tiers.ts';
import { UnpricedTable } from './unpriced-table.tsx';
import { type BatchPrice, useBatchPrice } from './use-batch-price.ts';
import { usePage } from './use-page.ts';
import type { OneChannel } from './views.ts';

const labels = {
  price: { input: 'prices.inputPrice', output: 'prices.outputPrice' },
  ratio: { input: 'prices.modelRatio', output: 'prices.completionRatio' },
  call: { input: 'prices.callPrice', output: 'prices.outputPrice' },
} as const;

interface UnpricedModelsProps {
  models: readonly HubModel[];
  /** Null for the models of all channels; those of one are selected at first. */
  only: OneChannel | null;
}

/** Of one channel also what it does not serve now, because it is off. */
function namesOf(models: readonly HubModel[], only: OneChannel | null): string[] {
  const unpriced = models.filter(isUnpriced);
  if (!only) return unpriced.filter(({ enabled }) => enabled).map(({ name }) => name);
  const priced = new Set(models.filter((model) => !isUnpriced(model)).map(({ name }) => name));
  return only.models.filter((name) => !priced.has(name));
}

export function UnpricedModels({ models, only }: UnpricedModelsProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(only ? namesOf(models, only) : []));

  const unpriced = namesOf(models, only);
  const priced = models.filter(({ mode }) => mode === 'tokens' || mode === 'tiers');
  const selected = unpriced.filter((name) => chosen.has(name));
  const { rows, pager } = usePage(unpriced);
  const price = useBatchPrice(selected, () => setChosen(new Set()));
  const choose = (names: readonly string[], on: boolean) =>
    setChosen((old) => {
      const next = new Set(old);
      for (const name of names) on ? next.add(name) : next.delete(name);
      return next;
    });
  const follow = (name: string, model: HubModel) => {
    price.follow(model);
    choose([name], true);
  };

  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface">
      <div className="border-b border-line px-4 py-3">
        <h2 id={headingId} className="text-base font-semibold">
          {t('prices.unpricedTitle')}
        </h2>
        <p className="text-xs text-muted">{t('prices.unpricedHelp')}</p>
        {only && (
          <p className="mt-1 flex flex-wrap gap-x-3 text-sm">
            {t('prices.onlyChannel', { name: only.name })}
            <SearchLink change={{ channel: undefined }} className="hit text-accent-text">
              {t('prices.allChannels')}
            </SearchLink>
          </p>
        )}
      </div>
      {unpriced.length === 0 ? (
        <p className="px-4 py-6 text-sm text-muted">
          {t(only ? 'prices.allPricedOfChannel' : 'prices.allPriced')}
        </p>
      ) : (
        <>
          <BatchPriceForm id={headingId} price={price} count={selected.length} />
          <UnpricedTable rows={rows} chosen={chosen} choose={choose} priced={priced} onFollow={follow} />
          <Pagination {...pager} className="border-t-0 max-md:px-4" />
        </>
      )}
    </section>
  );
}

interface BatchPriceFormProps {
  id: string;
  price: BatchPrice;
  /** Of the models that get it. */
  count: number;
}

function BatchPriceForm({ id, price, count }: BatchPriceFormProps) {
  const { t } = useTranslation();
  const { kind, typed, tiered, errors, saving } = price;
  const field = (name: 'input' | 'output') => (
    <Field
      id={`${id}-${name}`}
      label={t(labels[kind][name])}
      error={errors[name] && t(errors[name])}
      className="w-44 max-md:w-full"
    >
      <Input
        id={`${id}-${name}`}
        inputMode="decimal"
        autoComplete="off"
        className="text-right"
        value={typed[name]}
        aria-invalid={errors[name] ? true : undefined}
        aria-describedby={`${id}-${name}-error`}
        onChange={(event) => price.type(name, event.target.value)}
      />
    </Field>
  );
  return (
    <div className="flex flex-wrap items-start gap-3 border-b border-line px-4 py-3">
      <span className="pt-7 max-md:pt-0">
        <Segmented
          label={t('prices.kind')}
          value={kind}
          options={(['price', 'ratio', 'call'] as const).map((value) => ({
            value,
            label: t(`prices.kind.${value}`),
          }))}
          onChange={price.choose}
        />
      </span>
      {field('input')}
      {kind !== 'call' && field('output')}
      <span className="pt-7 max-md:pt-0">
        <Button variant="primary" busy={saving} onClick={() => void price.apply()}>
          {t('prices.batchSet', { count })}
        </Button>
      </span>
      {tiered && (
        <p className="basis-full text-xs break-words text-muted">
          {t('prices.takenTiers', { by: t(`prices.tiersBy.${tiered.by}`), tiers: tierList(tiered) })}
        </p>
      )}
    </div>
  );
}
