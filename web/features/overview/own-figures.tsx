/** One's own balance, and what became of it in thirty days. */
import { formatNumber } from '@core/money.ts';
import { OWN_DAYS } from '@modules/overview/facts.ts';
import { Link } from '@tanstack/react-router';
import { Money } from '@/components/money.tsx';
import type { OwnOverview } from '@/features/home/load.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Figure, FiguresRow } from './figure.tsx';
import { failureShare } from './share.ts';

export function OwnFigures({ own: { quota, reserved, usage } }: { own: OwnOverview }) {
  const { t } = useTranslation();
  const days = t('overview.days', { count: OWN_DAYS });
  return (
    <FiguresRow label={t('overview.own')}>
      <Figure
        label={t('overview.balance')}
        note={
          <>
            {reserved > 0 && (
              <span className="mr-2">
                {t('overview.held')} <Money quota={reserved} />
              </span>
            )}
            <Link to="/topup" className="hit text-accent-text">
              {t('overview.topUp')}
            </Link>
          </>
        }
      >
        <Money quota={quota} />
      </Figure>
      {usage && (
        <>
          <Figure
            label={t('overview.spent')}
            note={
              <>
                {days} · {t('overview.today')} <Money quota={usage.quota.at(-1) ?? 0} />
              </>
            }
            points={usage.quota}
          >
            <Money quota={usage.all.quota} />
          </Figure>
          <Figure label={t('overview.requests')} note={days} points={usage.calls}>
            {formatNumber(usage.all.calls)}
          </Figure>
          <Figure
            label={t('overview.errors')}
            note={usage.all.failed > 0 ? t('overview.ofAll', { share: failureShare(usage.all) }) : days}
          >
            <Link to="/log" search={{ type: '6', range: '30d' }} className="no-underline">
              {formatNumber(usage.all.failed)}
            </Link>
          </Figure>
        </>
      )}
    </FiguresRow>
  );
}
