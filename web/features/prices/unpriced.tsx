/** Models that channels serve and nothing prices, and a price for many of them at once. */
import { useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { Pagination } from '@/components/data-table/pagination.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Cells, cellsOf, type Errors, type HubModel, isUnpriced, readCells, relative } from './draft.ts';
import { usePage } from './use-page.ts';
import type { OneChannel } from './views.ts';

type Kind = 'price' | 'ratio' | 'call';

const cellsFor = (kind: Kind, input: string, output: string): Cells => ({
  mode: kind === 'call' ? 'call' : 'tokens',
  input,
  output: kind === 'call' ? '' : output,
  cache: '',
});

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
  const api = useApi();
  const router = useRouter();
  const headingId = useId();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(only ? namesOf(models, only) : []));
  const [kind, setKind] = useState<Kind>('price');
  const [typed, setTyped] = useState({ input: '', output: '' });
  const [errors, setErrors] = useState<Errors>({});
  const [saving, setSaving] = useState(false);

  const unpriced = namesOf(models, only);
  const priced = models.filter(({ mode }) => mode === 'tokens');
  const selected = unpriced.filter((name) => chosen.has(name));
  const { rows, pager } = usePage(unpriced);
  const choose = (names: readonly string[], on: boolean) =>
    setChosen((old) => {
      const next = new Set(old);
      for (const name of names) on ? next.add(name) : next.delete(name);
      return next;
    });

  const apply = async () => {
    if (saving) return;
    if (selected.length === 0) return notify({ tone: 'bad', text: t('prices.selectFirst') });
    const read = readCells(cellsFor(kind, typed.input, typed.output), kind === 'ratio' ? 'ratio' : 'price');
    const empty: Errors = kind !== 'call' && typed.output.trim() === '' ? { output: 'prices.notNumber' } : {};
    const wrong = { ...empty, ...(read.ok ? {} : read.errors) };
    setErrors(wrong);
    if (!read.ok || Object.keys(wrong).length > 0) return;
    const { cacheRatio: _cache, ...price } = read.price;
    setSaving(true);
    try {
      await api.send('PUT', '/api/model_hub/admin/', {
        body: {
          update: selected.map((name) => ({ name, ...price })),
          delete: [],
        },
      });
      await router.invalidate();
      setChosen(new Set());
      notify({ tone: 'ok', text: t('setting.saved') });
    } catch (error) {
      notify(failureNotice(error, t, t('prices.notSaved', { reason: errorText(error, t) })));
    }
    setSaving(false);
  };

  const follow = (name: string, model: HubModel) => {
    const cells = cellsOf(model, 'price');
    setKind('price');
    setTyped({ input: cells.input, output: cells.output });
    setErrors({});
    choose([name], true);
  };

  const field = (name: 'input' | 'output') => (
    <Field
      id={`${headingId}-${name}`}
      label={t(labels[kind][name])}
      error={errors[name] && t(errors[name])}
      className="w-44 max-md:w-full"
    >
      <Input
        id={`${headingId}-${name}`}
        inputMode="decimal"
        autoComplete="off"
        className="text-right"
        value={typed[name]}
        aria-invalid={errors[name] ? true : undefined}
        aria-describedby={`${headingId}-${name}-error`}
        onChange={(event) => setTyped((old) => ({ ...old, [name]: event.target.value }))}
      />
    </Field>
  );

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
          <div className="flex flex-wrap items-start gap-3 border-b border-line px-4 py-3">
            <span className="pt-7 max-md:pt-0">
              <Segmented
                label={t('prices.kind')}
                value={kind}
                options={(['price', 'ratio', 'call'] as const).map((value) => ({
                  value,
                  label: t(`prices.kind.${value}`),
                }))}
                onChange={(next) => {
                  setKind(next);
                  setErrors({});
                }}
              />
            </span>
            {field('input')}
            {kind !== 'call' && field('output')}
            <span className="pt-7 max-md:pt-0">
              <Button variant="primary" busy={saving} onClick={() => void apply()}>
                {t('prices.batchSet', { count: selected.length })}
              </Button>
            </span>
          </div>
          <table className="w-full border-separate border-spacing-0 text-sm">
            <thead>
              <tr className="text-left text-xs text-muted [&>th]:h-8 [&>th]:border-b [&>th]:border-line [&>th]:bg-sunken [&>th]:px-2 [&>th]:font-medium">
                <th scope="col" className="w-9 pl-4!">
                  <Checkbox
                    aria-label={t('table.selectPage')}
                    checked={rows.every((name) => chosen.has(name))}
                    mixed={rows.some((name) => chosen.has(name)) && !rows.every((name) => chosen.has(name))}
                    onChange={(event) => choose(rows, event.target.checked)}
                  />
                </th>
                <th scope="col">{t('hub.model')}</th>
                <th scope="col">{t('prices.suggestion')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((name) => (
                <tr key={name} className="[&>*]:h-10 [&>*]:border-b [&>*]:border-line [&>*]:px-2">
                  <td className="pl-4!">
                    <Checkbox
                      aria-label={t('table.selectRow', { name })}
                      checked={chosen.has(name)}
                      onChange={(event) => choose([name], event.target.checked)}
                    />
                  </td>
                  <th scope="row" className="text-left font-medium break-all">
                    {name}
                  </th>
                  <td>
                    <Suggestion name={name} model={relative(name, priced)} onFollow={follow} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <Pagination {...pager} className="border-t-0 max-md:px-4" />
        </>
      )}
    </section>
  );
}

interface SuggestionProps {
  name: string;
  model: HubModel | null;
  onFollow: (name: string, model: HubModel) => void;
}

/** The price of a model of the same family: a hint, not a price. */
function Suggestion({ name, model, onFollow }: SuggestionProps) {
  const { t } = useTranslation();
  if (!model) return <span className="text-faint">—</span>;
  const { input, output } = cellsOf(model, 'price');
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 text-muted">
      <span>{t('prices.like', { name: model.name, input, output })}</span>
      <LinkButton
        className="text-xs"
        aria-label={t('prices.takeOver', { name })}
        onClick={() => onFollow(name, model)}
      >
        {t('prices.take')}
      </LinkButton>
    </span>
  );
}
