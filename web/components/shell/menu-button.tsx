import { Menu } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

/** Stands for the phone's menu until it has been opened once. */
export function MenuButton({ onUse }: { onUse: () => void }) {
  const { t } = useTranslation();
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-haspopup="dialog"
      aria-label={t('shell.openMenu')}
      onClick={onUse}
    >
      <Menu aria-hidden="true" />
    </Button>
  );
}
