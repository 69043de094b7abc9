import { Funnel } from 'lucide-react';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from './ui/button.tsx';

/** The phone's way to the filters, with how many are set. On the narrowest the search beside it needs the room of its word. */
export function FilterTrigger({ count, onClick }: { count: number; onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <Button aria-haspopup="dialog" onClick={onClick}>
      <Funnel aria-hidden="true" />
      <span className="max-[374px]:sr-only">{t('table.filters')}</span>
      {count > 0 && (
        <span className="grid h-[18px] min-w-[18px] place-items-center rounded-full bg-accent-soft px-1 text-xs font-semibold text-accent-text">
          {count}
        </span>
      )}
    </Button>
  );
}
