/** What a row of the price list shows. */
import { QUOTA_TYPE } from '@modules/model-hub/facts.ts';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { SearchLink } from '@/components/search-link.tsx';
import { Status, type StatusTone } from '@/components/status.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import type { TFunction } from '@/lib/i18n.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  contextText,
  filmPrice,
  type PriceFacts,
  type PriceItem,
  rateText,
  type TokenPrices,
  tokenPrices,
} from './price-item.ts';

interface HubColumnsProps {
  /** What the reader's group multiplies every price by. */
  ratio: number;
  /** The groups that he may use, by name. */
  usable: PriceFacts['usable_group'];
}

export function useHubColumns({ ratio, usable }: HubColumnsProps): Column<PriceItem>[] {
  const { t } = useTranslation();
  const boot = useBoot();
  return useMemo((): Column<PriceItem>[] => {
    const rules = moneyRules(boot);
    const signedIn = boot.user !== null;
    const rate = (usd: number | null | undefined, unit?: string) => (
      <Rate text={usd === null || usd === undefined ? null : rateText(usd * ratio, rules)} unit={unit} />
    );
    const priced = (item: PriceItem): TokenPrices | null =>
      item.price_source === 'unset' ? null : tokenPrices(item);
    // A price of tiers is that of the first.
    const from = (item: PriceItem) => (item.tiers === null ? undefined : t('hub.from'));
    const outputFrom = (item: PriceItem) =>
      priced(item)?.outputThinking == null ? from(item) : t('hub.from');
    return [
      {
        id: 'open',
        header: t('hub.details'),
        headless: true,
        fixed: true,
        card: 'actions',
        className: 'opens-row',
        opens: true,
        cell: (item, { isOpen }) => <OpenLink name={item.model_name} isOpen={isOpen} />,
      },
      {
        id: 'model',
        header: t('hub.model'),
        sort: 'model',
        card: 'title',
        fixed: true,
        className: 'font-medium md:max-w-80',
        cell: (item) => <ModelName item={item} />,
      },
      // Of the phone alone. The last column of a desk is the last of all, which has room for its sign at the edge.
      {
        id: 'prices',
        header: t('hub.prices'),
        card: 'fact',
        className: 'md:hidden',
        cell: (item) => <CardPrices item={item} prices={priced(item)} rate={rate} />,
      },
      {
        id: 'facts',
        header: t('hub.facts'),
        card: 'meta',
        className: 'md:hidden',
        cell: (item) =>
          [
            item.owner_by,
            item.max_token > 0 ? contextText(item.max_token) : '',
            item.available === null ? '' : availability(item, usable, t).text,
          ]
            .filter(Boolean)
            .join(' · '),
      },
      {
        id: 'vendor',
        header: t('hub.vendor'),
        sort: 'vendor',
        className: 'text-muted max-w-36 truncate',
        cell: ({ owner_by }) => <span title={owner_by}>{owner_by || '—'}</span>,
      },
      ...(signedIn
        ? [
            {
              id: 'available',
              header: t('hub.available'),
              cell: (item: PriceItem) => <Availability item={item} usable={usable} />,
            },
          ]
        : []),
      {
        id: 'billing',
        header: t('hub.billing'),
        card: 'status',
        className: 'text-muted',
        cell: (item) => <Billing item={item} />,
      },
      {
        id: 'input',
        header: t('hub.input'),
        sort: 'input',
        align: 'right',
        cell: (item) =>
          item.quota_type === QUOTA_TYPE.call
            ? rate(item.model_price, ` ${t('hub.perCall')}`)
            : filmPrice(item)
              ? rate(filmPrice(item)?.per_second, ` ${t('hub.perSecond')}`)
              : rate(priced(item)?.input, from(item)),
      },
      {
        id: 'output',
        header: t('hub.output'),
        sort: 'output',
        align: 'right',
        cell: (item) => rate(priced(item)?.output, outputFrom(item)),
      },
      {
        id: 'cache-read',
        header: t('hub.cacheRead'),
        sort: 'cache-read',
        align: 'right',
        cell: (item) => rate(priced(item)?.cacheRead),
      },
      {
        id: 'cache-write',
        header: t('hub.cacheWrite'),
        sort: 'cache-write',
        align: 'right',
        extra: true,
        cell: (item) => rate(priced(item)?.cacheWrite),
      },
      {
        id: 'context',
        header: t('hub.context'),
        sort: 'context',
        align: 'right',
        className: 'text-muted',
        cell: ({ max_token }) => (max_token > 0 ? contextText(max_token) : '—'),
      },
    ];
  }, [t, boot, ratio, usable]);
}

function OpenLink({ name, isOpen }: { name: string; isOpen: boolean }) {
  const { t } = useTranslation();
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <SearchLink
      change={{ open: isOpen ? undefined : name }}
      aria-label={t(isOpen ? 'hub.close' : 'hub.open', { name })}
      aria-expanded={isOpen}
      className="hit inline-flex size-6 items-center justify-center text-muted hover:text-text max-md:size-11"
    >
      <Chevron className="size-4" aria-hidden="true" />
    </SearchLink>
  );
}

function ModelName({ item: { model_name: name, icon, tags } }: { item: PriceItem }) {
  const { t } = useTranslation();
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
      {/* The icon stays behind the name, however long that is. */}
      <span className="flex min-w-0 items-center gap-x-1.5">
        {icon && <img src={icon} alt="" className="size-4 shrink-0 rounded-xs object-contain" />}
        <span title={name} className="min-w-0 md:truncate max-md:wrap-anywhere max-md:whitespace-normal">
          {name}
        </span>
        <CopyButton
          variant="ghost"
          size="icon-sm"
          className="shrink-0"
          iconOnly
          label={t('hub.copyName', { name })}
          text={name}
        />
      </span>
      {tags
        .split(',')
        .filter(Boolean)
        .map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
    </span>
  );
}

/** Whether the reader may call it, and what stands in his way. */
function availability(
  { available, enable_groups: groups }: PriceItem,
  usable: PriceFacts['usable_group'],
  t: TFunction,
): { tone: StatusTone; text: string } {
  if (available) return { tone: 'on', text: t('hub.isAvailable') };
  const isServed = groups.some((group) => Object.hasOwn(usable, group));
  return {
    tone: 'off',
    text: isServed ? t('hub.needsPrice') : t('hub.needsGroup', { groups: groups.join(', ') }),
  };
}

function Availability({ item, usable }: { item: PriceItem; usable: PriceFacts['usable_group'] }) {
  const { t } = useTranslation();
  const { tone, text } = availability(item, usable, t);
  return (
    <Status tone={tone}>
      <span className="inline-block max-w-36 truncate" title={text}>
        {text}
      </span>
    </Status>
  );
}

function Billing({ item }: { item: PriceItem }) {
  const { t } = useTranslation();
  if (filmPrice(item)) return t('hub.billing.video');
  if (item.price_source === 'unset') return <Tag>{t('hub.unpriced')}</Tag>;
  if (item.tiers) return <Tag>{t('hub.billing.tiers')}</Tag>;
  return t(item.quota_type === QUOTA_TYPE.call ? 'hub.billing.call' : 'hub.billing.tokens');
}

/** Figure spaces behind the last decimal keep points under one another. */
const DECIMALS_SHOWN = 4;
const FIGURE_SPACE = '\u2007';
const pad = (text: string): string => {
  const decimals = text.length - text.indexOf('.') - 1;
  return FIGURE_SPACE.repeat(Math.max(DECIMALS_SHOWN - decimals, 0));
};

/** What a price is for stands right behind it, in the room of those spaces. */
function Rate({ text, unit }: { text: string | null; unit: string | undefined }) {
  if (text === null) return <span className="text-faint">—{FIGURE_SPACE.repeat(DECIMALS_SHOWN - 1)}</span>;
  return (
    <span className="tabular-nums">
      {text}
      {unit === undefined ? (
        <span aria-hidden="true" className="max-md:hidden">
          {pad(text)}
        </span>
      ) : (
        <span className="text-muted">{unit}</span>
      )}
    </span>
  );
}

interface CardPricesProps {
  item: PriceItem;
  prices: TokenPrices | null;
  rate: (usd: number | null) => ReactNode;
}

function CardPrices({ item, prices, rate }: CardPricesProps) {
  const { t } = useTranslation();
  if (item.quota_type === QUOTA_TYPE.call) {
    return (
      <>
        {rate(item.model_price)} {t('hub.perCall')}
      </>
    );
  }
  const film = filmPrice(item);
  if (film) {
    return (
      <>
        {rate(film.per_second)} {t('hub.perSecond')}
      </>
    );
  }
  // That there is no price, and that there are tiers, stands above.
  if (!prices) return null;
  return (
    <span className="flex flex-wrap gap-x-3">
      <span>
        {t('hub.input')} {rate(prices.input)}
      </span>
      <span>
        {t('hub.output')} {rate(prices.output)}
      </span>
      <span className="text-muted">{t('hub.perMillion')}</span>
    </span>
  );
}
