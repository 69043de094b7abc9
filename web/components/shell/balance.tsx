import { getRouteApi } from '@tanstack/react-router';
import { Money } from '@/components/money.tsx';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const root = getRouteApi('__root__');

/** What the signed-in user has left. */
export function Balance({ className }: { className?: string }) {
  const { t } = useTranslation();
  const self = root.useLoaderData();
  return (
    <div className={cn('text-sm', className)}>
      <p className="text-xs text-muted">{t('shell.balance')}</p>
      <p className="text-xl font-semibold">{self ? <Money quota={self.quota} /> : '—'}</p>
    </div>
  );
}
