/** That rewards were sent before, and the way to what became of each. */
import { formatNumber } from '@core/money.ts';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Dispatch } from './activity.ts';

export function LastDispatch({ dispatch, onShow }: { dispatch: Dispatch; onShow: () => void }) {
  const { t } = useTranslation();
  const { results, began_at } = dispatch;
  const granted = results.filter(({ result }) => result === 'granted').length;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
      {t('activity.sentBefore', {
        count: results.length,
        done: formatNumber(granted),
        total: formatNumber(results.length),
      })}
      <Time at={began_at} relative />
      <Button variant="ghost" size="sm" className="ml-auto" onClick={onShow}>
        {t('activity.showResults')}
      </Button>
    </p>
  );
}
