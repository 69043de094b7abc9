import { formatAmount } from '@core/money.ts';
import { cn } from '@/lib/cn.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface MoneyProps {
  /** Quota units. */
  quota: number;
  className?: string;
}

/** An amount of quota; its title holds the units and every decimal. */
export function Money({ quota, className }: MoneyProps) {
  const { t } = useTranslation();
  const amount = formatAmount(quota, moneyRules(useBoot()));
  const units = t('money.units', { count: quota, units: amount.units });
  return (
    <span
      className={cn('whitespace-nowrap tabular-nums', className)}
      title={amount.exact ? `${amount.exact} · ${units}` : units}
    >
      {amount.text}
    </span>
  );
}
