/** The three ways of looking at prices below the operation panel; which one is in the address. */
import { SearchLink } from '@/components/search-link.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { cn } from '@/lib/cn.ts';
import { showWhole } from '@/lib/show-whole.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type PriceViewName, priceViews, SHOWING } from './views.ts';

/** What the address says of one view is nothing to another. */
const nothingShown = Object.fromEntries(['tab', 'channel', ...SHOWING].map((name) => [name, undefined]));

interface PriceTabsProps {
  view: PriceViewName;
  /** How many models have no price, where that is known. */
  unpriced: number | null;
}

export function PriceTabs({ view, unpriced }: PriceTabsProps) {
  const { t } = useTranslation();
  return (
    <nav
      aria-label={t('prices.title')}
      onFocus={showWhole}
      className="flex gap-5 overflow-x-auto shadow-[inset_0_-1px_var(--line)] [scrollbar-width:none]"
    >
      {priceViews.map((one) => (
        <SearchLink
          key={one}
          change={{ ...nothingShown, sub: one === 'json' ? undefined : one }}
          aria-current={one === view ? 'page' : undefined}
          className={cn(
            'inline-flex h-9 items-center gap-1.5 border-b-2 text-sm whitespace-nowrap no-underline hover:text-text max-md:h-11',
            one === view ? 'border-accent font-semibold text-text' : 'border-transparent text-muted',
          )}
        >
          {t(`prices.tab.${one}`)}
          {one === 'unpriced' && unpriced !== null && unpriced > 0 && <Tag tone="warn">{unpriced}</Tag>}
        </SearchLink>
      ))}
    </nav>
  );
}
