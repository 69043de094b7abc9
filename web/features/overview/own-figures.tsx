/** One's own balance, and what became of it in thirty days. */
import { formatNumber } from '@core/money.ts';
import { OWN_DAYS } from '@modules/overview/facts.ts';
import { Link } from '@tanstack/react-router';
import { Figure, FiguresRow } from '@/components/figure.tsx';
import { Money } from '@/components/money.tsx';
import type { OwnOverview } from '@/features/home/load.ts';
import { useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FailedFigure } from './failed-figure.tsx';
import { useBackTo } from './use-back-to.ts';

export function OwnFigures({ own: { quota, reserved, usage } }: { own: OwnOverview }) {
  const { t } = useTranslation();
  const acts = useMay('act');
  const backTo = useBackTo();
  // Of one who makes very many figures not all days are looked at, nor all of today perhaps.
  const cut = (usage && usage !== 'busy' && backTo(usage)) || undefined;
  const days = cut ?? t('overview.days', { count: OWN_DAYS });
  return (
    <FiguresRow count={4} label={t('overview.own')}>
      <Figure
        label={t('overview.balance')}
        note={
          <>
            {reserved > 0 && (
              <span className="mr-2">
                {t('overview.held')} <Money quota={reserved} />
              </span>
            )}
            {acts && (
              <Link to="/topup" className="hit text-accent-text">
                {t('overview.topUp')}
              </Link>
            )}
          </>
        }
      >
        <Money quota={quota} />
      </Figure>
      {usage && usage !== 'busy' && (
        <>
          <Figure
            label={t('overview.spent')}
            note={
              <>
                {days}
                {!(cut && usage.starts.length === 1) && (
                  <>
                    {' '}
                    · {t('overview.today')} <Money quota={usage.quota.at(-1) ?? 0} />
                  </>
                )}
              </>
            }
            points={usage.quota}
          >
            <Money quota={usage.all.quota} />
          </Figure>
          <Figure label={t('overview.requests')} note={days} points={usage.calls}>
            {formatNumber(usage.all.calls)}
          </Figure>
          <FailedFigure
            all={usage.all}
            note={days}
            linked={(number) => (
              <Link to="/log" search={{ type: '6', range: '30d' }} className="hit no-underline">
                {number}
              </Link>
            )}
          />
        </>
      )}
    </FiguresRow>
  );
}
