/** The fuel pack: what it is worth, when there is one, and the button that claims it. */
import { formatAmount } from '@core/money.ts';
import { DAY_SEC, HOUR_SEC } from '@core/time.ts';
import { useRouter } from '@tanstack/react-router';
import { Money } from '@/components/money.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Panel } from '@/features/wallet/panel.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useNow } from '@/lib/clock.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { moneyRules, useApi, useBoot, useMay } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

type FuelPack = DataOf<'get', '/api/user/fuel_pack/status'>;

export function FuelPackPanel({ status }: { status: FuelPack }) {
  const { t } = useTranslation();
  const api = useApi();
  const boot = useBoot();
  const router = useRouter();
  const acts = useMay('act');
  const left = status.next_at - useNow();
  const claim = useAction(async () => {
    const { data } = await api.getOnce('/api/user/fuel_pack');
    const amount = formatAmount(data, moneyRules(boot)).text;
    notify({ tone: 'ok', text: t('activity.claimed', { amount }) });
    await router.invalidate();
  });
  if (status.quota === 0) {
    return (
      <Panel title={t('activity.fuelPack')}>
        <p className="text-sm text-muted">{t('activity.fuelPackOff')}</p>
      </Panel>
    );
  }
  const isDue = status.available || left <= 0;
  return (
    <Panel title={t('activity.fuelPack')}>
      <div className="flex items-end justify-between gap-4 max-md:flex-col max-md:items-stretch">
        <div className="min-w-0">
          <Money quota={status.quota} className="text-3xl font-semibold" />
          <p className="text-sm text-muted">{t('activity.fuelPackFree', { count: status.interval_days })}</p>
        </div>
        {acts && (
          <Button
            variant="primary"
            size="lg"
            busy={claim.pending}
            disabled={!isDue}
            onClick={() => void claim.run()}
          >
            {isDue ? t('activity.claim') : <Countdown left={left} />}
          </Button>
        )}
      </div>
      {!isDue && (
        <p className="mt-3.5 border-t border-line pt-2.5 text-sm text-muted">
          {t('activity.nextAt')} <Time at={status.next_at} />
        </p>
      )}
      <div role="alert" className="not-empty:mt-4">
        {claim.error !== null && <Notice tone={errorTone(claim.error)}>{errorText(claim.error, t)}</Notice>}
      </div>
    </Panel>
  );
}

/** To the minute, for the clock of a page goes by half minutes. */
function Countdown({ left }: { left: number }) {
  const { t } = useTranslation();
  const whole = Math.ceil(left / 60) * 60;
  const days = Math.floor(whole / DAY_SEC);
  const hours = Math.floor((whole % DAY_SEC) / HOUR_SEC);
  const minutes = (whole % HOUR_SEC) / 60;
  return days > 0 ? t('activity.inDays', { days, hours }) : t('activity.inHours', { hours, minutes });
}
