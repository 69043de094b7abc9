/** The models that were called most of late, and what they cost. */
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { filmPrice, rateText, tokenPrices } from '@/features/hub/price-item.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Popular } from './load.ts';

type Model = Popular['items'][number];

export function PopularModels({ popular: { items, called, total, group_ratio } }: { popular: Popular }) {
  const { t } = useTranslation();
  const headingId = useId();
  if (items.length === 0) return null;
  const [ratio = 1] = Object.values(group_ratio);
  return (
    <section aria-labelledby={headingId} className="min-w-0">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h2 id={headingId} className="text-lg font-semibold">
          {t(called > 0 ? 'home.popular' : 'home.models')}
        </h2>
        <span className="text-xs text-muted">{t('home.perMillion')}</span>
        <Link to="/model-hub" className="hit ml-auto text-sm text-accent-text">
          {t('home.allModels', { count: total })}
        </Link>
      </div>
      <div className="overflow-hidden rounded-md border border-line bg-surface">
        <table className="w-full border-separate border-spacing-0 text-sm [&_td]:px-3 [&_th]:px-3">
          <thead>
            <tr className="text-xs text-muted [&>th]:h-8 [&>th]:border-b [&>th]:border-line [&>th]:bg-sunken [&>th]:font-medium">
              <th scope="col" className="text-left">
                {t('hub.model')}
              </th>
              <th scope="col" className="text-left max-md:hidden">
                {t('hub.vendor')}
              </th>
              <th scope="col" className="text-right">
                {t('hub.input')}
              </th>
              <th scope="col" className="text-right">
                {t('hub.output')}
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr
                key={item.model_name}
                className="[&:last-child>*]:border-0 [&>*]:h-10 [&>*]:border-b [&>*]:border-line"
              >
                <th scope="row" className="text-left font-medium wrap-anywhere">
                  <Link to="/model-hub" search={{ q: item.model_name, open: item.model_name }}>
                    {item.model_name}
                  </Link>
                </th>
                <td className="text-muted max-md:hidden">{item.owner_by || '—'}</td>
                <Price item={item} ratio={ratio} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The two cells of a model's price; one for both where a call has one. */
function Price({ item, ratio }: { item: Model; ratio: number }) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  const rate = (usd: number) => rateText(usd * ratio, rules);
  const cell = 'text-right whitespace-nowrap tabular-nums';
  const film = filmPrice(item);
  if (film) {
    return (
      <td colSpan={2} className={cell}>
        {rate(film.per_second)} <span className="text-muted">{t('hub.perSecond')}</span>
      </td>
    );
  }
  if (item.price_source === 'unset') {
    return (
      <td colSpan={2} className="text-right text-muted">
        {t('hub.unpriced')}
      </td>
    );
  }
  const prices = tokenPrices(item);
  if (!prices) {
    return (
      <td colSpan={2} className={cell}>
        {rate(item.model_price)} <span className="text-muted">{t('hub.perCall')}</span>
      </td>
    );
  }
  const from = item.tiers !== null && <span className="text-muted">{t('hub.from')}</span>;
  return (
    <>
      <td className={cell}>
        {rate(prices.input)}
        {from}
      </td>
      <td className={cell}>
        {rate(prices.output)}
        {from}
      </td>
    </>
  );
}
