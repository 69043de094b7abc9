import { formatAmount } from '@core/money.ts';
import { cn } from '@/lib/cn.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface MoneyProps {
  /** Quota units. */
  quota: number;
  className?: string;
  /** Never adds the units beside an amount below a cent, for places that show them anyway. */
  bare?: boolean;
}

/** An amount of quota; its title holds the units and every decimal. Too small to be read as money: units beside it. */
export function Money({ quota, className, bare }: MoneyProps) {
  const { t } = useTranslation();
  const amount = formatAmount(quota, moneyRules(useBoot()));
  const units = t('money.units', { count: quota, units: amount.units });
  return (
    <span
      className={cn('whitespace-nowrap tabular-nums', className)}
      title={amount.exact ? `${amount.exact} · ${units}` : units}
    >
      {amount.belowCent && !bare && <span className="mr-1.5 text-xs text-muted">{units}</span>}
      {amount.text}
    </span>
  );
}
