/** The opened row: the price in each group, what is known of the model, and how it is called. */

import { formatNumber, formatRate } from '@core/money.ts';
import { QUOTA_TYPE } from '@modules/model-hub/facts.ts';
import type { ReactNode } from 'react';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  filmPrice,
  type PriceFacts,
  type PriceItem,
  rateText,
  type Tier,
  tokenPrices,
} from './price-item.ts';

interface HubDetailProps {
  item: PriceItem;
  facts: PriceFacts;
  /** The group whose prices the list shows, and its ratio. */
  group: string;
  ratio: number;
}

export function HubDetail({ item, facts, group, ratio }: HubDetailProps) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-6 py-3 whitespace-normal md:grid-cols-[minmax(0,5fr)_minmax(0,3fr)_minmax(0,3fr)]">
      <div className="min-w-0">
        <GroupPrices item={item} facts={facts} group={group} />
        {item.video && <Films video={item.video} ratio={ratio} />}
        {item.tiers && <Tiers item={item} tiers={item.tiers} ratio={ratio} />}
      </div>
      <Facts item={item} />
      <div className="min-w-0">
        <h3 className="text-sm font-semibold">{t('hub.call')}</h3>
        <p className="mt-1 text-xs text-muted">{t('hub.callHelp')}</p>
        <pre className="mt-2 overflow-x-auto rounded-sm border border-line bg-sunken px-3 py-2 font-mono text-xs">
          <code>model="{item.model_name}"</code>
        </pre>
      </div>
    </div>
  );
}

function GroupPrices({ item, facts, group }: Omit<HubDetailProps, 'ratio'>) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  const prices = item.price_source === 'unset' ? null : tokenPrices(item);
  const perCall = item.quota_type === QUOTA_TYPE.call;
  // Of films alone all that there is to say stands below.
  if (filmPrice(item)) return null;
  if (!prices && !perCall) return <p className="text-muted">{t('hub.unpricedHelp')}</p>;
  const rows = Object.entries(facts.group_ratio);
  return (
    <>
      <h3 className="text-sm font-semibold">{t(perCall ? 'hub.groupPricesCall' : 'hub.groupPricesToken')}</h3>
      <table className="plain-table mt-1 max-w-md">
        <thead>
          <tr>
            <th scope="col">{t('hub.group')}</th>
            <th scope="col">{t('hub.ratio')}</th>
            <th scope="col">{t(perCall ? 'hub.price' : 'hub.input')}</th>
            {!perCall && <th scope="col">{t('hub.output')}</th>}
            {prices && prices.outputThinking !== null && <th scope="col">{t('hub.outputThinking')}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ratio]) => (
            <tr key={name} className={name === group ? 'font-semibold' : undefined}>
              <th scope="row">
                {name}
                {!item.enable_groups.includes(name) && (
                  <span className="ml-1.5 text-xs font-normal text-muted">{t('hub.notServed')}</span>
                )}
              </th>
              <td className="text-muted">× {formatRate(ratio)}</td>
              <td>{rateText((prices?.input ?? item.model_price) * ratio, rules)}</td>
              {prices && <td>{rateText(prices.output * ratio, rules)}</td>}
              {prices && prices.outputThinking !== null && (
                <td>{rateText(prices.outputThinking * ratio, rules)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** What a second of a film costs in the group that the list shows, by its size. */
function Films({ video, ratio }: { video: NonNullable<PriceItem['video']>; ratio: number }) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  const sizes = Object.entries(video.sizes ?? {});
  return (
    <>
      <h3 className="text-sm font-semibold">{t('hub.films')}</h3>
      <table className="plain-table mt-1 mb-4 max-w-md">
        <thead>
          <tr>
            <th scope="col">{t('hub.filmSize')}</th>
            <th scope="col">{t('hub.price')}</th>
          </tr>
        </thead>
        <tbody>
          {sizes.map(([size, usd]) => (
            <tr key={size}>
              <th scope="row">{size}</th>
              <td>{rateText(usd * ratio, rules)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{t(sizes.length > 0 ? 'hub.filmRest' : 'hub.filmAll')}</th>
            <td>{rateText(video.per_second * ratio, rules)}</td>
          </tr>
        </tbody>
      </table>
      {video.seconds && (
        <p className="mb-4 text-sm text-muted">
          {t('hub.filmSeconds', { seconds: video.seconds.join(', ') })}
        </p>
      )}
    </>
  );
}

function Tiers({ item, tiers, ratio }: { item: PriceItem; tiers: Tier[]; ratio: number }) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  // Of caches that cost what input costs nothing is said.
  const hasOwn = (part: 'cache_read' | 'cache_write') => tiers.some((tier) => tier[part] !== tier.input);
  const [hasRead, hasWrite] = [hasOwn('cache_read'), hasOwn('cache_write')];
  const hasThoughts = tiers.some((tier) => tier.output_thinking !== undefined);
  const title = t(item.tier_by === 'month' ? 'hub.tiersByMonth' : 'hub.tiersByInput');
  const span = (i: number): string => {
    const from = tiers[i - 1]?.up_to ?? null;
    const to = tiers[i]?.up_to ?? null;
    if (to === null)
      return from === null ? t('hub.tierAll') : t('hub.tierOver', { from: formatNumber(from) });
    return t('hub.tierUpTo', { to: formatNumber(to) });
  };
  return (
    <>
      <h3 className="mt-4 text-sm font-semibold">{title}</h3>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={title}
        className="mt-1 overflow-x-auto [scrollbar-width:thin]"
      >
        <table className="plain-table max-w-md">
          <thead>
            <tr>
              <th scope="col">{t('hub.tier')}</th>
              <th scope="col">{t('hub.input')}</th>
              <th scope="col">{t('hub.output')}</th>
              {hasThoughts && <th scope="col">{t('hub.outputThinking')}</th>}
              {hasRead && <th scope="col">{t('hub.cacheRead')}</th>}
              {hasWrite && <th scope="col">{t('hub.cacheWrite')}</th>}
            </tr>
          </thead>
          <tbody>
            {tiers.map((tier, i) => (
              <tr key={tier.up_to ?? 'last'}>
                <th scope="row">{span(i)}</th>
                <td>{rateText(tier.input * ratio, rules)}</td>
                <td>{rateText(tier.output * ratio, rules)}</td>
                {hasThoughts && <td>{rateText((tier.output_thinking ?? tier.output) * ratio, rules)}</td>}
                {hasRead && <td>{rateText(tier.cache_read * ratio, rules)}</td>}
                {hasWrite && <td>{rateText(tier.cache_write * ratio, rules)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Facts({ item }: { item: PriceItem }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0">
      <h3 className="text-sm font-semibold">{t('hub.facts')}</h3>
      {item.desc && <p className="mt-1 text-sm break-words text-muted">{item.desc}</p>}
      <dl className="mt-1 text-sm">
        {item.owner_by && <Fact name={t('hub.vendor')}>{item.owner_by}</Fact>}
        {item.max_token > 0 && <Fact name={t('hub.context')}>{formatNumber(item.max_token)}</Fact>}
        {item.multimodal && <Fact name={t('hub.kinds')}>{t('hub.multimodal')}</Fact>}
        {item.quota_type === QUOTA_TYPE.tokens && item.price_source !== 'unset' && !item.tiers && (
          <>
            <Fact name={t('hub.modelRatio')}>{formatRate(item.model_ratio)}</Fact>
            <Fact name={t('hub.completionRatio')}>{formatRate(item.completion_ratio)}</Fact>
            {item.thinking_completion_ratio !== item.completion_ratio && (
              <Fact name={t('hub.thinkingRatio')}>{formatRate(item.thinking_completion_ratio)}</Fact>
            )}
          </>
        )}
        <Fact name={t('hub.groups')}>{item.enable_groups.join(', ')}</Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-3 py-0.5">
      <dt className="w-24 shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
